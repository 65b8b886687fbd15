import { cp, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles an extension of the tests into a folder that the editor can load, with the name of the source folder.
 * `source` contains a package.json and an extension.ts.
 */
export async function buildTestExtension(source: string, into: string): Promise<string> {
  const folder = join(into, basename(source));
  await mkdir(folder, { recursive: true });
  await cp(join(source, 'package.json'), join(folder, 'package.json'));
  await build({
    entryPoints: [join(source, 'extension.ts')],
    outfile: join(folder, 'extension.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    conditions: ['@tandem/source'],
    external: ['vscode'],
    logLevel: 'error',
  });
  return folder;
}
