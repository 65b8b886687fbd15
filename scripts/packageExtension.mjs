/**
 * Builds the VS Code extension and packs it as `hosts/vscode/dist/tandem.vsix`.
 */
import { copyFileSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVSIX } from '@vscode/vsce';
import { buildExtension, extensionFolder } from './buildExtension.mjs';

const packagePath = join(extensionFolder, 'dist/tandem.vsix');
const licence = join(extensionFolder, 'LICENSE');

await buildExtension();
// vsce looks for it beside the manifest; the repository has it once, at its root.
if (!existsSync(licence)) copyFileSync(fileURLToPath(new URL('../LICENSE', import.meta.url)), licence);
await createVSIX({
  cwd: extensionFolder,
  packagePath,
  // The bundles hold what is imported.
  dependencies: false,
  allowMissingRepository: true,
  // The pictures of the page come with the package.
  rewriteRelativeLinks: false,
});
console.log(`tandem.vsix: ${Math.round(statSync(packagePath).size / 1024)} KiB`);
