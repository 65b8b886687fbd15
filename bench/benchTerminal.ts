import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The pseudo-terminal is installed for the tests in e2e; the benchmark uses that copy. */
const fromE2e = createRequire(fileURLToPath(new URL('../../e2e/package.json', import.meta.url)));

/** The part of node-pty that is used here. */
interface Driver {
  spawn(
    file: string,
    args: readonly string[],
    options: {
      readonly name: string;
      readonly cols: number;
      readonly rows: number;
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    },
  ): Pty;
}

interface Pty {
  readonly pid: number;
  onData(listener: (data: string) => void): void;
  onExit(listener: () => void): void;
  write(data: string): void;
}

/** A program of Node.js in a pseudo-terminal. The caller ends it. */
export class BenchTerminal {
  readonly startedAt = performance.now();
  readonly ended: Promise<void>;
  readonly #pty: Pty;
  #output = '';
  #onOutput = (): void => {};

  constructor(
    args: readonly string[],
    { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ) {
    let driver: Driver;
    try {
      driver = fromE2e('@lydell/node-pty');
    } catch (cause) {
      throw new Error('This case needs the pseudo-terminal that e2e/ installs. Run "npm test" once first.', {
        cause,
      });
    }
    const size = { name: 'xterm-256color', cols: 120, rows: 40 };
    this.#pty = driver.spawn(process.execPath, args, { ...size, cwd, env: { ...env, TERM: size.name } });
    this.#pty.onData((data) => {
      this.#output += data;
      this.#onOutput();
    });
    this.ended = new Promise((resolve) => this.#pty.onExit(resolve));
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Resolves when the program has written this since the last call, with the time and with what it wrote. */
  async until(pattern: RegExp): Promise<{ readonly at: number; readonly found: string }> {
    const isThere = (): boolean => pattern.test(this.#output);
    const isSeen = new Promise<void>((resolve) => {
      this.#onOutput = () => {
        if (isThere()) resolve();
      };
      this.#onOutput();
    });
    await Promise.race([isSeen, this.ended]);
    const at = performance.now();
    const [found] = pattern.exec(this.#output) ?? [];
    if (found === undefined) throw new Error(`The program ended without ${pattern}:\n${this.#output}`);
    this.#output = '';
    return { at, found };
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }
}
