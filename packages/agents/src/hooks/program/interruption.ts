import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The file in which an agent logs the events of this session, if that shows an interruption by the user of which its hooks learn
 * nothing else.
 */
export function eventLogOf(
  agent: string,
  input: unknown,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { sessionId } = Object(input);
  if (agent !== 'copilot' || typeof sessionId !== 'string' || !/^[\w-]+$/.test(sessionId)) return undefined;
  return join(env.COPILOT_HOME ?? join(homedir(), '.copilot'), 'session-state', sessionId, 'events.jsonl');
}

/** How often the log is read, in milliseconds. */
export const readMs = 500;

/** Calls `listener` once when the user has interrupted the agent, as its log shows. Does not keep the process alive. */
export function onInterruption(log: string, listener: () => void): void {
  let next = sizeOf(log);
  const timer = setInterval(() => {
    const added = readFrom(log, next);
    // A line that is not complete yet is read again.
    const complete = added.subarray(0, added.lastIndexOf(0x0a) + 1);
    next += complete.length;
    if (!complete.toString('utf8').split('\n').some(isAbort)) return;
    clearInterval(timer);
    listener();
  }, readMs).unref();
}

function isAbort(line: string): boolean {
  return line.startsWith('{"type":"abort"');
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
