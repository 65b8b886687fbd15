import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const entry = fileURLToPath(new URL('../../src/scan/scanWorker.ts', import.meta.url));

/** Bundles the worker from its source into a temporary folder; returns the path. */
export async function buildWorker(): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'worker-')), 'scanWorker.mjs');
  await build({
    ...{ entryPoints: [entry], outfile, bundle: true, platform: 'node', target: 'node20', format: 'esm' },
    ...{ conditions: ['@tandem/source'], logLevel: 'silent' },
  });
  return outfile;
}
