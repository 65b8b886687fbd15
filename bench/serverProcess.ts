import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Scratch } from './scratch.js';

/** A server in its own process. It answers questions over the IPC channel. */
export class ServerProcess<Ready> {
  readonly #child: ChildProcess;
  readonly ready: Ready;

  private constructor(child: ChildProcess, ready: Ready) {
    this.#child = child;
    this.ready = ready;
  }

  /** Starts `servers/<name>.ts` and waits until it reports how to connect. The caller stops it. */
  static async start<Ready>(name: string, scratch: Scratch): Promise<ServerProcess<Ready>> {
    const file = fileURLToPath(new URL(`./servers/${name}.js`, import.meta.url));
    const child = fork(file, [scratch.workspace], { env: scratch.env, execArgv: ['--expose-gc'] });
    return new ServerProcess(child, await nextMessage<Ready>(child));
  }

  /** Sends a question and returns the answer. One at a time. */
  async ask<Answer>(...words: readonly string[]): Promise<Answer> {
    const answer = nextMessage<Answer>(this.#child);
    this.#child.send(words.join(' '));
    return answer;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill();
    await ended;
  }
}

/** The next IPC message of a child process. Rejects if the process ends first. */
export function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null): void => reject(new Error(`A server ended with code ${code}.`));
    child.once('exit', fail);
    child.once('message', (message) => {
      child.off('exit', fail);
      // The other end is ours and sends exactly this.
      resolve(message as Message);
    });
  });
}
