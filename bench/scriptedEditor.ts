import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { commandFile } from './commandFile.js';
import type { Scratch } from './scratch.js';

interface Params {
  readonly id?: string;
  readonly review?: { readonly id: string };
}

/** The smallest editor of `tandem editor`: one line per message, every request is answered with `null`. The caller stops it. */
export class ScriptedEditor {
  port = 0;
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, () => void>();
  readonly #waiting = new Map<string, (params: Params) => void>();
  #lastId = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** With other arguments, Node runs these in place of `tandem editor`. */
  static async start(
    scratch: Scratch,
    args: readonly string[] = [commandFile(), 'editor'],
  ): Promise<ScriptedEditor> {
    const child = spawn(process.execPath, args, { env: scratch.env, stdio: ['pipe', 'pipe', 'inherit'] });
    const editor = new ScriptedEditor(child);
    createInterface({ input: child.stdout }).on('line', (line) => editor.#receive(line));
    await editor.call('initialize', {
      protocolVersion: 2,
      editor: { name: 'bench', displayName: 'Bench', version: '1.0.0', pid: process.pid },
      workspaceFolders: [scratch.workspace],
      isTrusted: true,
    });
    return editor;
  }

  call(method: string, params: object): Promise<void> {
    return new Promise((resolve) => {
      this.#lastId += 1;
      this.#answers.set(this.#lastId, resolve);
      this.#send({ id: this.#lastId, method, params });
    });
  }

  /** The parameters of the next call of a method. */
  next(method: string): Promise<Params> {
    return new Promise((resolve) => this.#waiting.set(method, resolve));
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin?.end();
    await ended;
  }

  #receive(line: string): void {
    const { id, method, params, result } = JSON.parse(line);
    if (method === undefined) {
      this.port ||= Number(result?.environment?.TANDEM_PORT ?? 0);
      this.#answers.get(id)?.();
      this.#answers.delete(id);
      return;
    }
    if (id !== undefined) this.#send({ id, result: null });
    this.#waiting.get(method)?.(params);
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
