import { spawn } from 'node:child_process';
import { commandFile } from '../commandFile.js';
import { describe, format, median, takeTurns } from '../measure.js';
import type { Scratch } from '../scratch.js';

/** From the start of `tandem serve` until its discovery files exist, compared with a Node.js that does nothing. */
export async function benchStart(scratch: Scratch): Promise<void> {
  const samples = await takeTurns(
    {
      'tandem serve --json, to its ready line': () =>
        firstLine([commandFile(), 'serve', scratch.workspace, '--json'], scratch),
      'tandem --version': () => firstLine([commandFile(), '--version'], scratch),
      'a bare node': () => firstLine(['-e', 'console.log(1)'], scratch),
    },
    { rounds: 20, warmUp: 2 },
  );
  const [serve, version, bare] = Object.values(samples);
  if (serve === undefined || version === undefined || bare === undefined) return;
  console.log('\nstart of the companion, to its discovery files');
  for (const each of [serve, version, bare]) console.log(describe(each));
  const own = median(serve) - median(bare);
  console.log(`  ${'our own share of it'.padEnd(44)} ${format(own).padStart(8)} ms   aim: under 120`);
}

/** The time until a process prints its first line, in milliseconds. */
function firstLine(args: readonly string[], { env, workspace }: Scratch): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, args, {
      cwd: workspace,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let taken: number | undefined;
    child.stdout.once('data', () => {
      taken = performance.now() - startedAt;
      child.kill();
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (taken === undefined)
        reject(new Error(`${args.join(' ')} ended with code ${code} and wrote nothing.`));
      else resolve(taken);
    });
  });
}
