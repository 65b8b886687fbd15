import { existsSync, readdirSync, statSync, watch } from 'node:fs';
import { mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const source = fileURLToPath(new URL('../packages/page/', import.meta.url));
const outFolder = fileURLToPath(new URL('../hosts/standalone/dist/page', import.meta.url));
const index = 'index.html';

/** The sources of the page. */
const inputs = [
  'packages/page/src',
  'packages/page/public',
  'packages/chat-panel/src',
  'packages/core/src',
  'packages/reviews/src',
  'packages/chat/src/model',
  'packages/rpc/src',
].map((path) => fileURLToPath(new URL(`../${path}`, import.meta.url)));
const inputFiles = [index, 'vite.config.ts', 'package.json'].map((name) => join(source, name));

/** A page from an earlier build may still load its parts. */
const staleFileMs = 5 * 60 * 1000;

/** Whether this checkout contains the page's source. */
export function hasPageSource() {
  return existsSync(join(source, 'src/main.tsx'));
}

/** Whether the page is built and up to date. Folders count as well, because a file may have been removed. */
export function isPageFresh() {
  return isNewerThanSource(join(outFolder, index));
}

/** Whether a file exists and is newer than all sources of the page and the chat panel. */
export function isNewerThanSource(file) {
  const built = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) return false;
  const isOlder = (path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) <= built;
  return inputFiles.every(isOlder) && inputs.every((folder) => everyBelow(folder, isOlder));
}

/**
 * Builds the page into `hosts/standalone/dist/page`, beside the command that serves it. A running companion keeps
 * serving: names contain a hash of the content, and files are renamed into place, `index.html` last.
 *
 * @returns {Promise<{ milliseconds: number, files: number }>}
 * @throws when the source does not compile, or Vite is not installed
 */
export async function buildPage() {
  const startedAt = new Date();
  const unfinished = `${outFolder}.${process.pid}.tmp`;
  try {
    await viteBuild({ build: { outDir: unfinished, emptyOutDir: true } });
    const files = await placePage(unfinished, startedAt);
    return { milliseconds: Date.now() - startedAt.getTime(), files };
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/**
 * Builds with the page's configuration.
 *
 * @param {import('vite').InlineConfig} config what differs from it
 * @returns {Promise<string[]>} the paths of all modules that the build includes
 */
export async function viteBuild(config) {
  // Vite belongs to the page's package, not to the root.
  const vite = createRequire(join(source, 'package.json')).resolve('vite');
  const { build } = await import(pathToFileURL(vite).href);
  const environment = process.env.NODE_ENV;
  try {
    // Tests set another value, with which the development build of React would be bundled.
    process.env.NODE_ENV = 'production';
    const { output } = await build({
      configFile: join(source, 'vite.config.ts'),
      logLevel: 'warn',
      ...config,
    });
    return output.flatMap(({ moduleIds = [] }) => moduleIds);
  } finally {
    if (environment === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = environment;
  }
}

/**
 * Builds now, if necessary, and after every change. `onBuilt` receives the error of a failed build.
 *
 * @param {(error?: unknown) => void} onBuilt
 */
export function watchPage(onBuilt) {
  let isBuilding = false;
  let isStale = false;
  const build = async () => {
    isStale = true;
    if (isBuilding) return;
    isBuilding = true;
    while (isStale) {
      isStale = false;
      try {
        if (!isPageFresh()) await buildPage();
        onBuilt();
      } catch (error) {
        onBuilt(error);
      }
    }
    isBuilding = false;
  };
  for (const folder of inputs.filter((path) => existsSync(path))) {
    watch(folder, { recursive: true }, () => void build());
  }
  for (const file of inputFiles) watch(file, () => void build());
  void build();
}

/** Moves a build into place. */
async function placePage(from, startedAt) {
  const files = (await filesBelow(from)).sort(
    (one, other) => Number(one === index) - Number(other === index),
  );
  // Files that changed during the build must be newer than the page.
  await utimes(join(from, index), startedAt, startedAt);
  for (const file of files) {
    const target = join(outFolder, file);
    await mkdir(dirname(target), { recursive: true });
    await rename(join(from, file), target);
  }
  const limit = Date.now() - staleFileMs;
  for (const file of await filesBelow(outFolder)) {
    const path = join(outFolder, file);
    const isStale = (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? limit) < limit;
    if (isStale && !files.includes(file)) await rm(path, { force: true });
  }
  return files.length;
}

/** @returns {Promise<string[]>} paths below the folder */
async function filesBelow(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function everyBelow(folder, holds) {
  if (!existsSync(folder)) return true;
  if (!holds(folder)) return false;
  return readdirSync(folder, { withFileTypes: true }).every((item) => {
    const path = join(folder, item.name);
    return item.isDirectory() ? everyBelow(path, holds) : holds(path);
  });
}
