import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      optionalDependencies: z.record(z.string(), z.string()).optional(),
      engines: z.unknown().optional(),
      link: z.boolean().optional(),
      dev: z.boolean().optional(),
      optional: z.boolean().optional(),
      integrity: z.string().optional(),
    }),
  ),
});

/**
 * `@qwen-code/sdk` asks for Node 22 and its daemon client runs on 20. npm writes the demand into the lock file whenever
 * it installs the SDK anew, and then no `npm ci` succeeds on Node 20: take it out by hand.
 */
it('the SDK of the daemon can be installed on the Node that we promise', () => {
  const path = fileURLToPath(new URL('../package-lock.json', import.meta.url));
  const { packages } = lockFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  expect(packages['node_modules/@qwen-code/sdk']).toBeDefined();
  expect(packages['node_modules/@qwen-code/sdk']?.engines).toBeUndefined();
});

/**
 * npm leaves packages for other platforms out of the lock file when the registry at hand does not have them, and
 * `npm ci` then refuses to install anything, here too.
 */
describe.each(['package-lock.json', 'e2e/package-lock.json'])('%s', (file) => {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const { packages } = lockFile.parse(JSON.parse(readFileSync(path, 'utf8')));

  it('has an entry for every optional dependency of every platform', () => {
    const missing = Object.entries(packages).flatMap(([at, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isFound(at, name)),
    );
    expect(missing).toEqual([]);
  });

  it('has the checksum of every package that may come, from wherever it comes', () => {
    const outside = Object.entries(packages).filter(
      ([at, { link }]) => at.includes('node_modules/') && !link,
    );
    expect(outside.length).toBeGreaterThan(10);
    // Tools of development for other platforms, which not every registry has. Nothing of them is shipped.
    const isForeignTool = ({ dev = false, optional = false }) => dev && optional;
    const loose = outside.filter(
      ([, each]) => !each.integrity?.startsWith('sha512-') && !isForeignTool(each),
    );
    expect(loose.map(([at]) => at)).toEqual([]);
  });

  it('stands beside a setting by which a package that is installed runs nothing', () => {
    const settings = readFileSync(join(dirname(path), '.npmrc'), 'utf8').split('\n');
    expect(settings).toContain('ignore-scripts=true');
  });

  /** Looks where Node would: beside the package, then in every node_modules above. */
  function isFound(at: string, name: string): boolean {
    for (let folder = at; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in packages) return true;
      if (folder === '' || !folder.includes('node_modules')) return `node_modules/${name}` in packages;
    }
  }
});
