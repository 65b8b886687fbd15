import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Disposable } from '@tandem/core';
import { DaemonError } from '../connection/daemonError.js';
import { guardDaemon } from './guardDaemon.js';
import { killProcessTree } from './killProcessTree.js';

export interface StartDaemonOptions {
  /** The program and the arguments that come before `serve`. `['qwen']` by default. */
  readonly command?: readonly string[];
  /** Where the user names the program, such as "the setting x.y": for the error when it is missing. */
  readonly commandPlace?: string;
  /** The workspace folder, as an absolute path. */
  readonly folder: string;
  /** Generated when absent. */
  readonly token?: string;
  /** The daemon's environment; this process's own by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** The port to listen on; the system chooses one by default. */
  readonly port?: number;
  /** The address of this machine to listen at, 127.0.0.1 by default. */
  readonly hostname?: '127.0.0.1' | '::1' | 'localhost';
  /** For how long the daemon may take to listen, in milliseconds. 30 s by default. */
  readonly startWithinMs?: number;
  /** Hears each line that it prints, without the token. */
  readonly onOutput?: (line: string) => void;
}

/** A daemon that this process has started. The owner disposes it, which ends all of its processes. */
export interface StartedDaemon extends Disposable {
  /** Where it listens, as it printed it. */
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** Settles when its process has ended, by whatever. Never rejects. */
  readonly ended: Promise<void>;
  /** As `dispose()`, and resolves when the process has ended. */
  stop(): Promise<void>;
}

/** What it printed last, for an error; more would not be read. */
const keptOutput = 2_000;

/** For how long it may take to end by itself before it is killed. */
const endWithinMs = 3_000;

/**
 * Starts `qwen serve` for a folder, on a port and with a token of its own. The token goes by the environment, where other
 * users of the machine cannot read it as they can the arguments.
 *
 * @throws DaemonError `not_started` when the program is missing, too old, ends or does not listen in time
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
  const isWindows = process.platform === 'win32';
  const child = spawn(program, isWindows ? args.map(quoteForCmd) : args, {
    cwd: options.folder,
    env: { ...(options.env ?? process.env), QWEN_SERVER_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, which ends as a whole: the daemon's agents are its children.
    detached: !isWindows,
    // npm installs a .cmd there, which only a shell runs.
    shell: isWindows,
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

/** Ends the process with its owner: when it is disposed, and when this process exits or is killed without. */
function own(child: ChildProcess): Pick<StartedDaemon, 'ended' | 'stop' | 'dispose'> {
  const killNow = () => killProcessTree(child);
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
    // The daemon alone: it tells its clients and ends its agents itself.
    child.kill('SIGTERM');
    const timer = setTimeout(killNow, endWithinMs);
    // What has outlived the daemon in its group is ended as well.
    return ended.then(() => {
      clearTimeout(timer);
      killNow();
    });
  };
  return { ended, stop, dispose: () => void stop() };
}

/** The address that the daemon prints once it listens. */
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
      const message = `"${program} serve" ${reason}${said === '' ? '.' : `. It said: ${said}`}`;
      reject(new DaemonError('not_started', message, cause === undefined ? undefined : { cause }));
    };
    const timer = setTimeout(() => fail(`did not listen within ${withinMs / 1000} s`), withinMs);
    const hear = (chunk: Buffer) => {
      const text = chunk.toString('utf8');
      isTooOld ||= /unknown (argument|command)/i.test(text);
      output = (output + text).slice(-keptOutput);
      const [, url] = /listening on (https?:\/\/\S+)/.exec(output) ?? [];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') return fail(`could not be started: ${error.message}`, error);
      const named = commandPlace === undefined ? '' : `, or name it in ${commandPlace}`;
      fail(
        `could not be started: there is no such program. Install Qwen Code (npm install -g @qwen-code/qwen-code)${named}`,
        error,
      );
    });
    child.once('close', (code, signal) => {
      if (isTooOld) {
        output = '';
        return fail(
          'is not known to this version of Qwen Code. Update it to 0.24 or later: npm install -g @qwen-code/qwen-code',
        );
      }
      fail(`ended before it listened, with ${code === null ? signal : `code ${code}`}`);
    });
  });
}

/** cmd.exe splits at spaces. A folder's name has no double quotes on Windows. */
function quoteForCmd(arg: string): string {
  return /[\s&^|<>()]/.test(arg) ? `"${arg}"` : arg;
}
