/**
 * `npm run package:vscode`: builds the VS Code extension and packs it as `hosts/vscode/dist/tandem.vsix`.
 */
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createVSIX } from '@vscode/vsce';
import { buildExtension } from './buildExtension.mjs';
import { root } from './devTool.mjs';
import { emptyStage, finishStage, manifestOf, writeNotices } from './stage.mjs';

/** What the Marketplace's users download, in bytes. A fifth of it are the tables of encodings. */
const sizeLimit = 1_200_000;

/**
 * @param {string} file
 * @throws {Error} when it is too large, a licence in it is not allowed, or the Marketplace's tool refuses it
 */
export async function packageExtension(file) {
  await pack(await stageExtension(), file);
  const { size } = statSync(file);
  if (size > sizeLimit) throw new Error(`${file} has ${size} bytes; ${sizeLimit} are the limit.`);
  console.log(`${file}: ${Math.round(size / 1000)} KB`);
}

async function stageExtension() {
  const stage = emptyStage('hosts/vscode');
  const { modules } = await buildExtension({ buildsPanel: true });
  cpSync(`${root}hosts/vscode/dist`, `${stage}/dist`, {
    recursive: true,
    filter: (path) => !/\.(map|tsbuildinfo|vsix)$|[\\/]types$/.test(path),
  });
  const files = ['media', 'package.nls.json', 'CHANGELOG.md'];
  for (const file of files.filter((each) => existsSync(`${root}hosts/vscode/${each}`))) {
    cpSync(`${root}hosts/vscode/${file}`, `${stage}/${file}`, { recursive: true });
  }
  writeNotices(stage, modules);
  const {
    devDependencies: _tools,
    dependencies: _bundled,
    private: _here,
    // Its only bundle repeats the English texts, for translators.
    l10n: _english,
    ...manifest
  } = manifestOf('hosts/vscode');
  return finishStage(stage, 'hosts/vscode', manifest);
}

/** @throws {Error} as the validation that the Marketplace's own tool makes */
async function pack(stage, packagePath) {
  const { version } = JSON.parse(readFileSync(`${stage}/package.json`, 'utf8'));
  const address = manifestOf('.').homepage.replace(/#.*$/, '');
  // It sets the time of all files.
  process.env.SOURCE_DATE_EPOCH = '1000000000';
  await createVSIX({
    cwd: stage,
    packagePath,
    dependencies: false,
    // VS Code shows no pictures on an extension's page but those that it fetches.
    baseContentUrl: `${address}/blob/v${version}/hosts/vscode`,
    baseImagesUrl: `${address}/raw/v${version}/hosts/vscode`,
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await packageExtension(`${root}hosts/vscode/dist/tandem.vsix`);
}
