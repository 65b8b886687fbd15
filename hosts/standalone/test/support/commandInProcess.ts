import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/commandLine.js';

/** What a command leaves. */
interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command reads of its process. */
interface Surroundings {
  /** The file that a user would start. */
  readonly entry: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `tandem` to its end in the process of the test, one command at a time: it takes a fiftieth of the processor time of a
 * process. For commands that start no companion, and end neither by a signal nor by `process.exit`.
 */
export function runInProcess(args: readonly string[], surroundings: Surroundings): Promise<Result> {
  const running = last.then(() => run(args, surroundings));
  last = running.catch(() => {});
  return running;
}

async function run(args: readonly string[], { entry, cwd, env, input = '' }: Surroundings): Promise<Result> {
  const [stdout, stderr] = [new Output(), new Output()];
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr };
  const names = ['stdin', 'stdout', 'stderr'] as const;
  const before = {
    cwd: process.cwd(),
    env: { ...process.env },
    argv: process.argv,
    exitCode: process.exitCode,
    streams: names.map((name) => Object.getOwnPropertyDescriptor(process, name)),
  };
  try {
    process.chdir(cwd);
    replaceEnv(env);
    process.argv = [process.execPath, entry, ...args];
    process.exitCode = undefined;
    for (const name of names)
      Object.defineProperty(process, name, { value: streams[name], configurable: true });
    const code = await runCommandLine(args, '0.0.0');
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    for (const [at, name] of names.entries())
      Object.defineProperty(process, name, before.streams[at] as PropertyDescriptor);
    process.exitCode = before.exitCode;
    process.argv = before.argv;
    replaceEnv(before.env);
    process.chdir(before.cwd);
  }
}

/** In place: `os` and native code read the environment of the process, too. */
function replaceEnv(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

class Output extends Writable {
  readonly #chunks: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}
