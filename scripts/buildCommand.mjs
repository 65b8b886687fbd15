import { existsSync, readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { chunkTiers, mergeChunks } from './mergeChunks.mjs';
import { withoutZodLocales } from './withoutZodLocales.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const host = join(root, 'hosts/standalone');
const entry = join(host, 'src/main.ts');
const outFolder = join(host, 'dist');
const chunkFolder = join(outFolder, 'chunks');

/** A command that started from an earlier build may still load its chunks. */
const staleChunkMs = 5 * 60 * 1000;

/** Whether this checkout contains the command's source. */
export function hasCommandSource() {
  return existsSync(entry);
}

/**
 * Bundles the `tandem` command into `hosts/standalone/dist`: `tandem.js`, and in `chunks/` what it shares with the lazy
 * imports, and these, so that a short command loads little.
 *
 * @returns {Promise<{ milliseconds: number, entryBytes: number, chunks: number }>}
 * @throws {esbuild.BuildFailure} if the source does not compile
 */
export async function buildCommand() {
  const startedAt = new Date();
  try {
    const outputs = await placeCommand(await bundleCommand(), startedAt);
    return { milliseconds: Date.now() - startedAt.getTime(), ...outputs };
  } finally {
    await esbuild.stop();
  }
}

/**
 * Bundles the command in memory.
 *
 * @param {{ outdir?: string, sourcemap?: boolean }} options where the files will be
 * @returns {Promise<esbuild.BuildResult & { outputFiles: esbuild.OutputFile[], modules: string[] }>} `modules`: the paths of
 *   what is in the bundle
 */
export async function bundleCommand({ outdir = outFolder, sourcemap = true } = {}) {
  const [split, hook, worker] = await Promise.all([
    esbuild.build(splitOptions(outdir, sourcemap)),
    esbuild.build(hookOptions(outdir)),
    esbuild.build(workerOptions(outdir)),
  ]);
  const merged = await mergeSplit(split, outdir, sourcemap);
  return {
    ...merged,
    outputFiles: [...merged.outputFiles, ...hook.outputFiles, ...worker.outputFiles],
    modules: [split, hook, worker].flatMap(modulesIn),
  };
}

/** What agents run for their hooks: each is one file, because each tool call of an agent starts `hook.mjs`, and agents load the others. */
export function hookOptions(outdir) {
  const folder = join(root, 'packages/agents/src/hooks/program');
  return {
    entryPoints: [
      { in: join(folder, 'main.ts'), out: 'hook' },
      { in: join(folder, 'openCodePlugin.ts'), out: 'openCodePlugin' },
      { in: join(folder, 'piPlugin.ts'), out: 'piPlugin' },
    ],
    outdir,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'silent',
  };
}

/** The worker that looks at a folder: `scanWorker.mjs`, which a companion starts with its first look. */
function workerOptions(outdir) {
  return {
    ...hookOptions(outdir),
    entryPoints: [{ in: join(root, 'packages/changes/src/scan/scanWorker.ts'), out: 'scanWorker' }],
    conditions: ['@tandem/source'],
  };
}

/**
 * Bundles now and after every change. `onBuilt` receives the errors of each build.
 *
 * @param {(errors: readonly esbuild.Message[]) => void} onBuilt
 * @returns {Promise<void>} resolves when it watches; it watches until the process ends
 */
export async function watchCommand(onBuilt) {
  const options = splitOptions(outFolder, true);
  let startedAt = new Date();
  const placing = {
    name: 'place-command',
    setup(build) {
      build.onStart(() => {
        startedAt = new Date();
      });
      build.onEnd(async (result) => {
        if (result.errors.length === 0)
          await placeCommand(await mergeSplit(result, outFolder, true), startedAt);
        onBuilt(result.errors);
      });
    },
  };
  const context = await esbuild.context({ ...options, plugins: [...options.plugins, placing] });
  await context.watch();
}

/**
 * The paths of the modules that a build includes.
 *
 * @param {esbuild.BuildResult} result with a metafile
 */
export function modulesIn({ metafile }) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => resolve(root, path));
}

/** Options of the first build, which divides the command into chunks. */
function splitOptions(outdir, sourcemap) {
  const { version } = JSON.parse(readFileSync(join(host, 'package.json'), 'utf8'));
  return {
    ...commonOptions(outdir),
    entryPoints: [{ in: entry, out: 'tandem' }],
    // The second build adds a hash again.
    chunkNames: 'chunks/[hash]/[name]',
    conditions: ['@tandem/source'],
    sourcemap: sourcemap && 'inline',
    plugins: [withoutZodLocales],
    define: { TANDEM_VERSION: JSON.stringify(version) },
  };
}

/** The second build: it merges chunks, because each file takes time at the start. */
function mergeSplit({ metafile, outputFiles }, outdir, sourcemap) {
  return mergeChunks(outputFiles, startTiers(metafile), {
    ...commonOptions(outdir),
    entryPoints: [{ in: join(outdir, 'tandem.js'), out: 'tandem' }],
    chunkNames: 'chunks/[name]-[hash]',
    sourcemap: sourcemap && 'linked',
    // CommonJS dependencies (`ws`, `commander`) call `require` for Node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
}

/** @returns {esbuild.BuildOptions & { absWorkingDir: string, write: false }} */
function commonOptions(outdir) {
  return {
    outdir,
    // Hashes in names depend on paths from here.
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcesContent: false,
    legalComments: 'none',
    // Parsing the bundle takes most of the command's start. Names are kept for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'silent',
  };
}

/** What `tandem serve` loads: what every command needs, what short ones need, what serves agents, and the rest. */
function startTiers(metafile) {
  const sources = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  const command = (name) => `hosts/standalone/src/commands/${name}.ts`;
  const long = ['serve', 'editor', 'demo'].map(command);
  const every = ['hosts/standalone/src/main.ts'];
  const short = sources.filter(
    (path) => /^hosts\/standalone\/src\/commands\//.test(path) && !long.includes(path),
  );
  const agents = sources.filter((path) => /^packages\/agents\/src\/\w+\/serve\.ts$/.test(path));
  const serve = [command('serve')];
  return chunkTiers(
    metafile,
    [every, short, [command('editor'), ...agents], serve],
    [...every, ...agents, ...serve],
  );
}

/**
 * Moves a build into place. Concurrent builds do not disturb each other: each file is renamed into place, the entry
 * last, and chunks are named after their content.
 */
async function placeCommand({ outputFiles }, startedAt) {
  const entryFile = outputFiles.find((file) => basename(file.path) === 'tandem.js');
  if (entryFile === undefined) throw new Error('esbuild wrote no tandem.js.');
  const others = outputFiles.filter((file) => file !== entryFile);
  await mkdir(chunkFolder, { recursive: true });
  await Promise.all(others.map(writeWhole));
  await writeWhole(entryFile);
  // Files that changed during the build must be newer than the bundle.
  await utimes(entryFile.path, startedAt, startedAt);
  removeStaleChunks(new Set(others.map((file) => basename(file.path))));
  const chunks = others.filter((file) => file.path.endsWith('.js')).length;
  return { entryBytes: entryFile.contents.length, chunks };
}

/** @param {esbuild.OutputFile} file */
async function writeWhole(file) {
  const unfinished = `${file.path}.${process.pid}.tmp`;
  await writeFile(unfinished, file.contents);
  await rename(unfinished, file.path);
}

/** @param {ReadonlySet<string>} current */
function removeStaleChunks(current) {
  const limit = Date.now() - staleChunkMs;
  for (const name of readdirSync(chunkFolder)) {
    const path = join(chunkFolder, name);
    if (!current.has(name) && (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? limit) < limit)
      unlinkSync(path);
  }
}
