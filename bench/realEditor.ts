import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { commandFile } from './commandFile.js';
import type { Scratch } from './scratch.js';

const limitMs = 20_000;

interface Report {
  readonly event: string;
  readonly value: unknown;
}

/** How to start an editor that does what `bench/editors` describes. */
interface EditorProgram {
  readonly name: string;
  /** The shell command. Throws with the reason if the editor is not installed. */
  readonly command: () => string;
  readonly plugin: string;
  /** Selects something else each time. */
  readonly key: string;
}

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const editorPrograms: readonly EditorProgram[] = [
  {
    name: 'Neovim',
    command() {
      const printed = execFileSync(process.execPath, [at('scripts/neovimInstall.mjs')], { encoding: 'utf8' });
      const { nvim } = JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '');
      return `'${nvim}' --clean -u '${at('bench/editors/neovim.lua')}' --cmd 'set loadplugins' a.ts`;
    },
    plugin: at('editors/neovim'),
    key: 'V',
  },
  {
    name: 'Emacs',
    command() {
      execFileSync('emacs', ['--version'], { stdio: 'ignore' });
      return `emacs -Q -nw -L '${at('editors/emacs')}' a.ts -l '${at('bench/editors/emacs.el')}'`;
    },
    plugin: at('editors/emacs'),
    key: '\x0e',
  },
];

/** A real editor with its plugin, in a terminal of its own. The caller stops it. */
export class RealEditor {
  port = 0;
  /** The process of the editor. */
  pid = 0;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<string, (value: unknown) => void>();
  #socket: Socket | undefined;
  #screen = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.on('data', (chunk) => {
      this.#screen = (this.#screen + chunk).slice(-4_000);
    });
  }

  /** Starts it in the workspace, with a file `a.ts`. Resolves when agents can find it. */
  static async start({ command, plugin }: EditorProgram, scratch: Scratch): Promise<RealEditor> {
    const program = command();
    const path = join(scratch.env.TMPDIR ?? '', `${plugin.split('/').at(-1)}.sock`);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const child = spawn('script', ['-qfec', `stty cols 160 rows 50; exec ${program}`, '/dev/null'], {
      cwd: scratch.workspace,
      env: {
        ...scratch.env,
        SHELL: '/bin/sh',
        TERM: 'xterm-256color',
        LANG: 'C.UTF-8',
        BENCH_SOCKET: path,
        BENCH_PLUGIN: plugin,
        BENCH_COMMAND: JSON.stringify([process.execPath, commandFile(), 'editor']),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const editor = new RealEditor(child);
    const ready = editor.next('ready');
    server.once('connection', (socket) => {
      editor.#socket = socket;
      createInterface({ input: socket }).on('line', (line) => editor.#receive(JSON.parse(line)));
    });
    try {
      Object.assign(editor, await ready);
      return editor;
    } catch (error) {
      child.kill();
      throw error;
    } finally {
      server.close();
    }
  }

  /** Presses keys. */
  press(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Does one of the actions of `bench/editors`. */
  do(action: string): void {
    this.#socket?.write(`${action}\n`);
  }

  /** The value of the next report of an event. Rejects if there is none in time. */
  next(event: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error(`No report of ${event}. The screen:\n${this.#screen}`));
      const limit = setTimeout(fail, limitMs);
      this.#child.once('exit', fail);
      this.#waiting.set(event, (value) => {
        clearTimeout(limit);
        this.#child.off('exit', fail);
        resolve(value);
      });
    });
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    process.kill(this.pid, 'SIGKILL');
    await ended;
  }

  #receive({ event, value }: Report): void {
    this.#waiting.get(event)?.(value);
    this.#waiting.delete(event);
  }
}

/**
 * The processes below one, and the page faults of those that have ended, which are more after any process has: read before and
 * after, they show whether one was started. Linux only.
 */
export function processesBelow(pid: number): string {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
    parents.set(Number(name), Number(statOf(Number(name))[1] ?? 0));
  const below = (parent: number): number[] =>
    [...parents].filter(([, each]) => each === parent).flatMap(([child]) => [child, ...below(child)]);
  return [pid, ...below(pid)].map((each) => `${each} ${statOf(each)[8]}`).join(', ');
}

/** The fields of `/proc/PID/stat` after the name. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    // It has ended.
    return [];
  }
}
