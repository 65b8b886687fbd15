import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { type Disposable, programCall } from '@tandem/core';
import { DaemonError } from './daemonError.js';
import { askToEnd, killTree } from './processTree.js';

export interface StartDaemonOptions {
  /** The program and the arguments before `serve`. `['qwen']` by default. */
  readonly command?: readonly string[];
  /** Where the user configures the program, such as "the setting x.y", for the error if it is missing. */
  readonly commandPlace?: string;
  /** The workspace folder, as an absolute path. */
  readonly folder: string;
  /** Generated if absent. */
  readonly token?: string;
  /** This process's environment by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** Chosen by the system by default. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly hostname?: '127.0.0.1' | '::1' | 'localhost';
  /** The longest wait until it listens, in milliseconds. 30 s by default. */
  readonly startWithinMs?: number;
  /** Receives each line of its output, without the token. */
  readonly onOutput?: (line: string) => void;
}

/** A daemon that this process started. The owner disposes it, which ends all of its processes. */
export interface StartedDaemon extends Disposable {
  /** The URL that it printed. */
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** Resolves when its process has ended. Never rejects. */
  readonly ended: Promise<void>;
  /** Disposes it and resolves when the process has ended. */
  stop(): Promise<void>;
}

/** Characters of its latest output in an error. */
const keptOutput = 2_000;

/** How long it may take to end before it is killed. */
const endWithinMs = 3_000;

/**
 * Starts `qwen serve` for a folder. The token is passed in the environment, because other users can read arguments.
 *
 * @throws DaemonError `not_started` if the program is missing, too old, ends or does not listen in time
 */
export async function startDaemon(options: StartDaemonOptions): Promise<StartedDaemon> {
  const token = options.token ?? randomBytes(32).toString('base64url');
  const [program = 'qwen', ...before] = options.command ?? ['qwen'];
  const port = String(options.port ?? 0);
  const args = [
    ...before,
    'serve',
    '--port',
    port,
    '--workspace',
    options.folder,
    '--require-auth',
    '--no-web',
  ];
  if (options.hostname !== undefined) args.push('--hostname', options.hostname);
  const { command, args: words, shell } = programCall(program, args, process.platform);
  const child = spawn(command, words, {
    cwd: options.folder,
    env: { ...(options.env ?? process.env), QWEN_SERVER_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, because its agents are its children.
    detached: process.platform !== 'win32',
    shell,
    windowsHide: true,
  });
  const daemon = own(child);
  const { onOutput } = options;
  if (onOutput !== undefined) {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => onOutput(line.replaceAll(token, '…')));
    }
  }
  try {
    const url = await addressOf(child, [program, ...before].join(' '), token, options);
    return { ...daemon, url, token, pid: child.pid ?? 0 };
  } catch (error) {
    daemon.dispose();
    throw error;
  }
}

/** Ends the process when it is disposed and when this process exits or is killed. */
function own(child: ChildProcess): Pick<StartedDaemon, 'ended' | 'stop' | 'dispose'> {
  const killNow = () => killTree(child);
  process.once('exit', killNow);
  const releaseGuard = guardDaemon(child);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  }).then(() => {
    process.removeListener('exit', killNow);
    releaseGuard();
  });
  let isStopping = false;
  const stop = (): Promise<void> => {
    if (isStopping) return ended;
    isStopping = true;
    askToEnd(child);
    const timer = setTimeout(killNow, endWithinMs);
    // End what outlived the daemon in its group.
    return ended.then(() => {
      clearTimeout(timer);
      killNow();
    });
  };
  return { ended, stop, dispose: () => void stop() };
}

/** Resolves with the URL that the daemon prints once it listens. */
function addressOf(
  child: ChildProcess,
  program: string,
  token: string,
  { startWithinMs: withinMs = 30_000, commandPlace }: StartDaemonOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    let isTooOld = false;
    const fail = (reason: string, cause?: unknown) => {
      clearTimeout(timer);
      const said = output.replaceAll(token, '…').trim();
      const message = `"${program} serve" ${reason}${said === '' ? '.' : `. It printed: ${said}`}`;
      reject(new DaemonError('not_started', message, cause === undefined ? undefined : { cause }));
    };
    const timer = setTimeout(() => fail(`did not listen within ${withinMs / 1000} s`), withinMs);
    const onData = (chunk: Buffer) => {
      const text = chunk.toString('utf8');
      isTooOld ||= /unknown (argument|command)/i.test(text);
      output = (output + text).slice(-keptOutput);
      const [, url] = /listening on (https?:\/\/\S+)/.exec(output) ?? [];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') return fail(`could not be started: ${error.message}`, error);
      const named = commandPlace === undefined ? '' : `, or set its path in ${commandPlace}`;
      fail(
        `could not be started: the program does not exist. Install Qwen Code (npm install -g @qwen-code/qwen-code)${named}`,
        error,
      );
    });
    child.once('close', (code, signal) => {
      if (isTooOld) {
        output = '';
        return fail(
          'is not supported by this version of Qwen Code. Update it to 0.24 or later: npm install -g @qwen-code/qwen-code',
        );
      }
      fail(`ended before it listened, with ${code === null ? signal : `code ${code}`}`);
    });
  });
}

/** Waits for the end of its input, which comes when the process at the other end is gone. */
const script =
  'read -r _; kill -s TERM "$1" 2>/dev/null || exit 0; sleep 3; kill -s KILL -- "-$1" 2>/dev/null';

/**
 * Starts a shell that ends the daemon if this process is killed. Returns a function that ends the shell, for when the daemon
 * has ended. Not on Windows: there a daemon outlives a killed process.
 */
function guardDaemon({ pid }: ChildProcess): () => void {
  if (pid === undefined || process.platform === 'win32') return () => {};
  const guard = spawn('/bin/sh', ['-c', script, 'tandem-daemon-guard', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Signals from a terminal must not reach it.
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
  });
  guard.once('error', () => {});
  guard.stdin.once('error', () => {});
  guard.unref();
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  return () => void guard.kill('SIGKILL');
}
