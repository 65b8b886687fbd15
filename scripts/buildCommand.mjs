import { existsSync, readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
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
 * Bundles the `tandem` command into `hosts/standalone/dist`: `tandem.js`, and in `chunks/` the lazy imports, so that a
 * short command loads little.
 *
 * @returns {Promise<{ milliseconds: number, entryBytes: number, chunks: number }>}
 * @throws {esbuild.BuildFailure} if the source does not compile
 */
export async function buildCommand() {
  const startedAt = new Date();
  try {
    const outputs = await placeCommand(await esbuild.build(commandBuildOptions()), startedAt);
    return { milliseconds: Date.now() - startedAt.getTime(), ...outputs };
  } finally {
    await esbuild.stop();
  }
}

/**
 * Bundles now and after every change. `onBuilt` receives the errors of each build.
 *
 * @param {(errors: readonly esbuild.Message[]) => void} onBuilt
 * @returns {Promise<void>} resolves when it watches; it watches until the process ends
 */
export async function watchCommand(onBuilt) {
  const options = commandBuildOptions();
  let startedAt = new Date();
  const placing = {
    name: 'place-command',
    setup(build) {
      build.onStart(() => {
        startedAt = new Date();
      });
      build.onEnd(async (result) => {
        if (result.errors.length === 0) await placeCommand(result, startedAt);
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

/** @returns {esbuild.BuildOptions & { write: false }} */
export function commandBuildOptions() {
  const { version } = JSON.parse(readFileSync(join(host, 'package.json'), 'utf8'));
  return {
    entryPoints: [{ in: entry, out: 'tandem' }],
    outdir: outFolder,
    // Hashes in names depend on paths from here.
    absWorkingDir: root,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['@tandem/source'],
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    // Parsing the bundle takes most of the command's start. Names are kept for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [withoutZodLocales],
    logLevel: 'silent',
    define: { TANDEM_VERSION: JSON.stringify(version) },
    // CommonJS dependencies (`ws`, `commander`) call `require` for Node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  };
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
