import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles the worker from its source into a temporary folder; returns the path. */
export function buildWorker(): Promise<string> {
  return bundle('../../src/scan/scanWorker.ts');
}

/** Bundles the program that a test kills. */
export function buildProgram(): Promise<string> {
  return bundle('./scanProgram.ts');
}

async function bundle(source: string): Promise<string> {
  const entry = fileURLToPath(new URL(source, import.meta.url));
  const outfile = join(mkdtempSync(join(tmpdir(), 'worker-')), 'bundle.mjs');
  await build({
    ...{ entryPoints: [entry], outfile, bundle: true, platform: 'node', target: 'node20', format: 'esm' },
    ...{ conditions: ['@tandem/source'], logLevel: 'silent' },
  });
  return outfile;
}
