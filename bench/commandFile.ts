import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const product = fileURLToPath(new URL('../../hosts/standalone/', import.meta.url));
let installed: string | undefined;

/**
 * The built command as npm installs it. In the checkout it would first compare the times of all sources with that of its
 * bundle, which takes as long as a fifth of its start. Removed when the benchmark ends.
 */
export function commandFile(): string {
  if (installed !== undefined) return installed;
  const folder = mkdtempSync(join(tmpdir(), 'tandem-installed-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['bin', 'dist', 'package.json', 'editor-protocol.schema.json']) {
    cpSync(join(product, name), join(folder, name), { recursive: true });
  }
  installed = join(folder, 'bin', 'tandem.js');
  return installed;
}
