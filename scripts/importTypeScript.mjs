import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './devTool.mjs';

/** Imports a TypeScript module of this repository and its imports. @param {string} path from the root */
export async function importTypeScript(path) {
  const outfile = `${root}node_modules/.cache/tandem/${basename(path, '.ts')}.mjs`;
  await build({
    entryPoints: [`${root}${path}`],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['@tandem/source'],
    logLevel: 'silent',
  });
  return import(pathToFileURL(outfile).href);
}
