import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A file to which an agent adds a line for each event. */
interface EventLog {
  readonly file: string;
  /** Whether a line says that the call for which the hook waits is over. */
  isEnd(line: string): boolean;
}

/** The log of the session of a hook, for an agent whose hooks learn of an interruption by the user from nothing else. */
export function eventLogOf(
  agent: string,
  input: unknown,
  env: Readonly<Record<string, string | undefined>>,
): EventLog | undefined {
  if (agent === 'copilot') return copilotLog(Object(input), env.COPILOT_HOME);
  return agent === 'qwen' ? qwenLog(Object(input)) : undefined;
}

function copilotLog(
  { sessionId }: Readonly<Record<string, unknown>>,
  home = join(homedir(), '.copilot'),
): EventLog | undefined {
  if (typeof sessionId !== 'string' || !/^[\w-]+$/.test(sessionId)) return undefined;
  return {
    file: join(home, 'session-state', sessionId, 'events.jsonl'),
    isEnd: (line) => line.startsWith('{"type":"abort"'),
  };
}

function qwenLog(input: Readonly<Record<string, unknown>>): EventLog | undefined {
  const { transcript_path: file, tool_call_id: call } = input;
  if (typeof file !== 'string' || typeof call !== 'string') return undefined;
  // The result of the call itself. Within a text, the quotes would be escaped.
  const result = `"toolCallResult":{"callId":${JSON.stringify(call)}`;
  return { file, isEnd: (line) => line.includes(result) };
}

/** How often the log is read, in milliseconds. */
export const readMs = 500;

/** Calls `listener` once when the user has interrupted the call, as the log shows. Does not keep the process alive. */
export function onInterruption({ file, isEnd }: EventLog, listener: () => void): void {
  let next = sizeOf(file);
  const timer = setInterval(() => {
    const added = readFrom(file, next);
    // A line that is not complete yet is read again.
    const complete = added.subarray(0, added.lastIndexOf(0x0a) + 1);
    next += complete.length;
    if (!complete.toString('utf8').split('\n').some(isEnd)) return;
    clearInterval(timer);
    listener();
  }, readMs).unref();
}

function sizeOf(file: string): number {
  return withFile(file, (descriptor) => fstatSync(descriptor).size) ?? 0;
}

function readFrom(file: string, start: number): Buffer {
  const read = (descriptor: number): Buffer => {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - start));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start));
  };
  return withFile(file, read) ?? Buffer.alloc(0);
}

function withFile<Result>(file: string, use: (descriptor: number) => Result): Result | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    return use(descriptor);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
