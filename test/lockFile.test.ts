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
 * `@qwen-code/sdk` requires Node 22, but its daemon client runs on 20. npm writes that requirement into the lock file
 * whenever it installs the SDK again, and then `npm ci` fails on Node 20: remove it by hand.
 */
it('lets the SDK of the daemon install on our oldest Node.js version', () => {
  const path = fileURLToPath(new URL('../package-lock.json', import.meta.url));
  const { packages } = lockFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  expect(packages['node_modules/@qwen-code/sdk']).toBeDefined();
  expect(packages['node_modules/@qwen-code/sdk']?.engines).toBeUndefined();
});

/**
 * npm omits packages for other platforms from the lock file if the configured registry lacks them, and `npm ci` then
 * refuses to install anything.
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

  it('has the checksum of every package', () => {
    const outside = Object.entries(packages).filter(
      ([at, { link }]) => at.includes('node_modules/') && !link,
    );
    expect(outside.length).toBeGreaterThan(10);
    // Development tools for other platforms, which some registries lack. They are not shipped.
    const isForeignTool = ({ dev = false, optional = false }) => dev && optional;
    const loose = outside.filter(
      ([, each]) => !each.integrity?.startsWith('sha512-') && !isForeignTool(each),
    );
    expect(loose.map(([at]) => at)).toEqual([]);
  });

  it('is accompanied by a setting that prevents install scripts', () => {
    const settings = readFileSync(join(dirname(path), '.npmrc'), 'utf8').split('\n');
    expect(settings).toContain('ignore-scripts=true');
  });

  /** Resolves as Node does: beside the package, then in every node_modules above. */
  function isFound(at: string, name: string): boolean {
    for (let folder = at; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in packages) return true;
      if (folder === '' || !folder.includes('node_modules')) return `node_modules/${name}` in packages;
    }
  }
});
