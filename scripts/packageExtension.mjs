/**
 * Builds the VS Code extension and packs it as `hosts/vscode/dist/tandem.vsix`.
 */
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVSIX } from '@vscode/vsce';
import { buildExtension, extensionFolder } from './buildExtension.mjs';
import { importTypeScript } from './importTypeScript.mjs';

const { extensionPage } = await importTypeScript('scripts/extensionPage.ts');

const packagePath = join(extensionFolder, 'dist/tandem.vsix');
const licence = join(extensionFolder, 'LICENSE');

await buildExtension();
// vsce expects the license beside the manifest; the repository has it only in its root.
if (!existsSync(licence)) copyFileSync(fileURLToPath(new URL('../LICENSE', import.meta.url)), licence);
const page = 'dist/readme.md';
writeFileSync(
  join(extensionFolder, page),
  extensionPage(readFileSync(join(extensionFolder, 'README.md'), 'utf8')),
);
await createVSIX({
  cwd: extensionFolder,
  packagePath,
  readmePath: page,
  // The bundles contain all dependencies.
  dependencies: false,
  allowMissingRepository: true,
  // There is no repository address to rewrite links to.
  rewriteRelativeLinks: false,
});
console.log(`tandem.vsix: ${Math.round(statSync(packagePath).size / 1024)} KiB`);
