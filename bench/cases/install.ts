import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, describe, describeValue, takeTurns, timed } from '../measure.js';
import type { Scratch } from '../scratch.js';

const packer = fileURLToPath(new URL('../../scripts/packPackages.mjs', import.meta.url));

/** `npm install --global` of the packed command, compared with a package that is empty; and the size of all packages. */
export async function benchInstall(scratch: Scratch): Promise<void> {
  const packed = join(scratch.workspace, 'packed');
  run(process.execPath, [packer, packed], scratch.workspace);
  const empty = join(scratch.workspace, 'empty');
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{"name":"empty","version":"1.0.0"}');
  run('npm', ['pack', '--silent', '--pack-destination', scratch.workspace], empty);
  const tarball = join(packed, readdirSync(packed).find((name) => name.startsWith('tandem-cli')) ?? '');
  const install = (file: string) => async (): Promise<number> => {
    const prefix = mkdtempSync(join(scratch.workspace, 'prefix-'));
    const args = ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', file];
    const taken = await timed(async () => run('npm', args, scratch.workspace));
    rmSync(prefix, { recursive: true });
    return taken;
  };
  const samples = await takeTurns(
    {
      'npm install --global of the command': install(tarball),
      'of an empty package': install(join(scratch.workspace, 'empty-1.0.0.tgz')),
    },
    { rounds: 5, warmUp: 1 },
  );
  const [ours, bare] = Object.values(samples);
  if (ours === undefined || bare === undefined) return;
  console.log('\ninstallation');
  for (const each of [ours, bare]) console.log(describe(each));
  console.log(compare(ours, bare));
  for (const name of readdirSync(packed).sort()) {
    console.log(describeValue(name, statSync(join(packed, name)).size / 1000, 'KB'));
  }
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`);
}
