#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Starts the bundled command. In a checkout it bundles first when the bundle is missing or older than the
 * sources, so that `npx tandem …` works after any install, one without install scripts too.
 */
const bundle = new URL('../dist/tandem.js', import.meta.url);
const builder = new URL('../../../scripts/buildCommand.mjs', import.meta.url);
const pageBuilder = new URL('../../../scripts/buildPage.mjs', import.meta.url);

if (!isSupported(process.versions.node)) {
  console.error(`tandem needs Node 20.19 or later; this is ${process.version}.`);
  process.exitCode = 1;
} else if (await isReady()) {
  await import(bundle.href);
}

function isSupported(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19);
}

/** Whether there is a bundle to start. Otherwise prints the reason. */
async function isReady() {
  const isCheckout = existsSync(builder) && existsSync(new URL('../src/main.ts', import.meta.url));
  // Only these commands serve the page.
  if (isCheckout && [undefined, 'serve', 'demo'].includes(process.argv[2])) await bringPageUpToDate();
  if (isCheckout && !isFresh()) return rebuild();
  if (existsSync(bundle)) return true;
  console.error('tandem: dist/tandem.js is missing from this installation. Install the package again.');
  process.exitCode = 1;
  return false;
}

async function rebuild() {
  try {
    const { buildCommand } = await import(builder.href);
    await buildCommand();
    return true;
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const hint = cause.includes("Cannot find package 'esbuild'") ? ' Run "npm ci" first.' : '';
    console.error(`tandem: the command could not be built.${hint}\n${cause}`);
    process.exitCode = 1;
    return false;
  }
}

/**
 * In a separate process, so that the build tools do not stay in memory. After a failure, the companion uses the older
 * page.
 */
async function bringPageUpToDate() {
  const { hasPageSource, isPageFresh } = await import(pageBuilder.href);
  if (!hasPageSource() || isPageFresh()) return;
  const script = `await (await import(${JSON.stringify(pageBuilder.href)})).buildPage();`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) console.error('tandem: the page could not be built.');
}

/** Folders count as well: their time changes when a file in them is removed. */
function isFresh() {
  const built = statSync(bundle, { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) return false;
  const isOlder = (path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) <= built;
  const packages = fileURLToPath(new URL('../../../packages/', import.meta.url));
  const folders = ['../src', '../../remote/src'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  for (const name of readdirSync(packages)) folders.push(`${packages}${name}/src`);
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (!existsSync(folder)) continue;
    if (!isOlder(folder)) return false;
    for (const item of readdirSync(folder, { withFileTypes: true })) {
      const path = `${folder}/${item.name}`;
      if (item.isDirectory()) folders.push(path);
      else if (!isOlder(path)) return false;
    }
  }
  return (
    isOlder(fileURLToPath(builder)) && isOlder(fileURLToPath(new URL('../package.json', import.meta.url)))
  );
}
