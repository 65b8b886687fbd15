import { appendFileSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type AgentId,
  agentIds,
  type Companion,
  type CompanionEvent,
  createCompanion,
  findCompanions,
  isAgentId,
} from '@tandem/companion';
import { describeError, isWithin, type Logger, type Path } from '@tandem/core';
import { CommandError, exitCode } from '../exitCode.js';
import { printError, printJson } from '../output.js';
import { LiveStatus } from '../liveStatus.js';
import { onEndingSignal } from '../signals.js';
import { StandaloneEditor } from '../standaloneEditor.js';

export interface ServeOptions {
  readonly version: string;
  readonly agents?: readonly string[];
  readonly untrusted?: boolean;
  readonly json?: boolean;
  readonly deny?: readonly string[];
  readonly gitignore?: boolean;
  readonly record?: string;
  readonly recordContents?: boolean;
  /** Seconds. */
  readonly untilIdle?: number;
}

/** `tandem serve`: runs a companion until it is asked to end. */
export async function serve(folderArguments: readonly string[], options: ServeOptions): Promise<void> {
  const folders = foldersOf(folderArguments);
  const agents = agentsOf(options.agents);
  const logger = stderrLogger();
  const editor = new StandaloneEditor({
    folders,
    isTrusted: !options.untrusted,
    version: options.version,
    logger,
  });
  let end = (_code: number): void => {};
  const ended = new Promise<number>((resolveEnd) => {
    end = resolveEnd;
  });
  const rivals = (await findCompanions()).filter((other) => overlaps(other.workspaceFolders, folders));
  const companion = await createCompanion({
    editor,
    version: options.version,
    agents,
    logger,
    onStopRequested: () => end(exitCode.ok),
    ...(options.deny && { denyList: options.deny }),
    ...(options.gitignore && { respectsGitignore: true }),
    ...(options.record !== undefined && { onTrace: appendingTo(options.record) }),
    ...(options.recordContents && { tracesContents: true }),
  });
  const release = (): void => companion.releaseSync();
  const releaseAndFail = (error: unknown): void => {
    release();
    printError(`tandem: ${describeError(error)}`);
    process.exit(exitCode.failed);
  };
  process.on('exit', release);
  process.on('uncaughtException', releaseAndFail);
  const signals = onEndingSignal(end);
  const view = options.json ? tellJson(companion) : await LiveStatus.start(companion, rivals);
  // Whoever started us in the background waits for this word, and no longer.
  process.send?.('ready');
  const idle = options.untilIdle === undefined ? undefined : watchIdle(companion, options.untilIdle, () => end(exitCode.ok));
  const code = await ended;
  clearInterval(idle);
  await companion.stop();
  view.dispose();
  editor.dispose();
  signals.dispose();
  process.off('uncaughtException', releaseAndFail);
  process.exitCode = code;
}

function tellJson(companion: Companion): { dispose(): void } {
  const agents = Object.fromEntries(
    companion.connections().map(({ id, url, token, discovery, env }) => [id, { url, token, discovery, env }]),
  );
  printJson({
    event: 'ready',
    pid: process.pid,
    workspaceFolders: companion.editor.workspace.folders(),
    agents,
  });
  return companion.onEvent((event) => {
    if (isTold(event)) printJson(event);
  });
}

/** The trace has a command of its own. */
function isTold(event: CompanionEvent): boolean {
  return event.event !== 'trace';
}

/** Real paths of the folders, each once: Claude Code compares real paths as text. */
function foldersOf(named: readonly string[]): Path[] {
  const folders = (named.length > 0 ? named : ['.']).map((name) => {
    const path = resolve(name);
    try {
      if (statSync(path).isDirectory()) return realpathSync(path);
    } catch (error) {
      throw new CommandError(`${path} does not exist or cannot be read.`, exitCode.usage, { cause: error });
    }
    throw new CommandError(`${path} is not a folder. To show agents a file, use: tandem focus ${name}`, exitCode.usage);
  });
  return [...new Set(folders)];
}

function agentsOf(named: readonly string[] | undefined): readonly AgentId[] {
  if (named === undefined) return agentIds;
  return named.map((name) => {
    if (isAgentId(name)) return name;
    throw new CommandError(`Tandem knows no agent "${name}". It knows ${agentIds.join(', ')}.`, exitCode.usage);
  });
}

function overlaps(theirs: readonly Path[], ours: readonly Path[]): boolean {
  return theirs.some((their) => ours.some((our) => isWithin(their, our) || isWithin(our, their)));
}

function appendingTo(file: string): (line: string) => void {
  try {
    appendFileSync(file, '', { mode: 0o600 });
  } catch (error) {
    throw new CommandError(`${file} cannot be written, so nothing would be recorded.`, exitCode.usage, { cause: error });
  }
  return (line) => appendFileSync(file, `${line}\n`, { mode: 0o600 });
}

/** Ends a companion that nobody needs: a whole interval without a session and without a follower. */
function watchIdle(companion: Companion, seconds: number, end: () => void): NodeJS.Timeout {
  let neededAt = Date.now();
  return setInterval(() => {
    if (companion.isNeeded) neededAt = Date.now();
    else if (Date.now() - neededAt >= seconds * 1000) end();
  }, 250);
}

/** Warnings and errors go to standard error, the rest only when `TANDEM_DEBUG` is set. */
function stderrLogger(): Logger {
  const write = (level: string, message: string, fields?: unknown): void =>
    printError(`${level}: ${message}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}`);
  const quiet = process.env.TANDEM_DEBUG === undefined;
  return {
    debug: (message, fields) => quiet || write('debug', message, fields),
    info: (message, fields) => quiet || write('info', message, fields),
    warn: (message, fields) => write('warning', message, fields),
    error: (message, fields) => write('error', message, fields),
  };
}
