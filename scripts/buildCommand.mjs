import { existsSync, readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const host = fileURLToPath(new URL('../hosts/standalone/', import.meta.url));
const entry = join(host, 'src/main.ts');
const outFolder = join(host, 'dist');
const chunkFolder = join(outFolder, 'chunks');

/** A companion that still runs an earlier build loads its chunks when it needs them, so they stay for a day. */
const staleChunkMs = 24 * 60 * 60 * 1000;

/** Whether this checkout holds the command's source. */
export function hasCommandSource() {
  return existsSync(entry);
}

/**
 * Bundles the `tandem` command into `hosts/standalone/dist`: `tandem.js`, and in `chunks/` what lazy imports
 * split off, so that a short command loads little. Two builds at once do not disturb each other: every file
 * is put in place whole by a rename, the entry last, and chunks are named after their content.
 *
 * @returns {Promise<{ milliseconds: number, entryBytes: number, chunks: number }>}
 * @throws {esbuild.BuildFailure} when the source does not compile
 */
export async function buildCommand() {
  const startedAt = new Date();
  try {
    const result = await esbuild.build(commandBuildOptions());
    const entryFile = result.outputFiles.find((file) => basename(file.path) === 'tandem.js');
    if (entryFile === undefined) throw new Error('esbuild wrote no tandem.js.');
    const others = result.outputFiles.filter((file) => file !== entryFile);
    await mkdir(chunkFolder, { recursive: true });
    await Promise.all(others.map(writeWhole));
    await writeWhole(entryFile);
    // What changed while esbuild read it must look newer than the bundle.
    await utimes(entryFile.path, startedAt, startedAt);
    removeStaleChunks(new Set(others.map((file) => basename(file.path))));
    return {
      milliseconds: Date.now() - startedAt.getTime(),
      entryBytes: entryFile.contents.length,
      chunks: others.filter((file) => file.path.endsWith('.js') && dirname(file.path) === chunkFolder).length,
    };
  } finally {
    await esbuild.stop();
  }
}

/** @returns {esbuild.BuildOptions & { write: false }} */
function commandBuildOptions() {
  const { version } = JSON.parse(readFileSync(join(host, 'package.json'), 'utf8'));
  return {
    entryPoints: [{ in: entry, out: 'tandem' }],
    outdir: outFolder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['source'],
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
    define: { TANDEM_VERSION: JSON.stringify(version) },
    // CommonJS dependencies (`ws`, `commander`) call `require` for Node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  };
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
    if (!current.has(name) && (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? limit) < limit) unlinkSync(path);
  }
}
