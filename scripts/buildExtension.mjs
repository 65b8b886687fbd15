import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { buildChatPanel, isChatPanelFresh } from './buildChatPanel.mjs';
import { hookOptions, modulesIn } from './buildCommand.mjs';
import { withoutZodLocales } from './withoutZodLocales.mjs';

const extensionFolder = fileURLToPath(new URL('../hosts/vscode/', import.meta.url));
const packages = fileURLToPath(new URL('../packages/', import.meta.url));

/**
 * The entry contains only what VS Code waits for: the registrations. Lazy imports are separate files: the companion,
 * the chat with the daemon's client, and what some commands show, loaded when they are first used. Shared modules, mostly zod, are in one
 * file, so that an error class is the same for all.
 */
const entry = join(extensionFolder, 'src/extension.ts');
/** The worker that looks at a folder. It is a file of its own, started with the first look. */
const workerEntry = join(packages, 'changes/src/scan/scanWorker.ts');
const outFolder = join(extensionFolder, 'dist');

/** The limit of what a window reads at every start, in bytes. */
const startLimit = 749 * 1024;
/** The files that are read on demand: the chat, the calls of commands, the doctor, what a command of the user decides or shows, a hint, what agents changed, what looks at folders, the writer of files, and encodings other than Unicode. */
const onDemand = [
  'chatWindow-',
  'closeReviews-',
  'companionControl-',
  'controlClient-',
  'controlContract-',
  'decideSession-',
  'deleteHistory-',
  'desk-',
  'diagnosisPage-',
  'doctor-',
  'hookHint-',
  'hookRequest-',
  'hookTrust-',
  'hooks-',
  'legacyEncodings-',
  'officialCompanions-',
  'overwriteRecord-',
  'placeLaunchers-',
  'prepareWriting-',
  'recordedChanges-',
  'runningHooks-',
  'seenChanges-',
  'sendFeedback-',
  'statusPick-',
  'writeUserFile-',
  'writtenLines-',
];
/** The limit of what it reads on demand, in bytes: mostly the tables of encodings, the daemon's client, the hooks of the agents and the worker that looks at a folder. */
const onDemandLimit = 1000 * 1024;

/** The Node.js of VS Code 1.100, the oldest supported version. */
const target = 'node20';

/** Whether this checkout contains the extension's source. */
export function hasExtensionSource() {
  return existsSync(entry);
}

/**
 * Bundles the VS Code extension into `hosts/vscode/dist`, and builds its chat panel unless it is up to date.
 *
 * @param {{ buildsPanel?: boolean }} options `buildsPanel`: whether to build the chat panel even if it is fresh
 * @returns {Promise<{ milliseconds: number, bytes: number, modules: string[] }>} `bytes`: the size of what a window reads at its start;
 *   `modules`: the paths of all that was built
 * @throws {esbuild.BuildFailure} when the source does not compile
 * @throws {Error} when the bundles are too large
 */
export async function buildExtension({ buildsPanel = false } = {}) {
  const startedAt = Date.now();
  let files;
  let programs;
  let namesAtStart;
  let modules;
  try {
    const [result, worker, hooks] = await Promise.all([
      esbuild.build(buildOptions()),
      esbuild.build({ ...buildOptions(), entryPoints: { scanWorker: workerEntry }, splitting: false }),
      esbuild.build(hookOptions(outFolder)),
    ]);
    modules = [result, worker, hooks].flatMap(modulesIn);
    programs = hooks.outputFiles.map(({ path, text }) => ({ name: basename(path), text }));
    namesAtStart = filesReadAtStart(result.metafile);
    const outputs = [...result.outputFiles, ...worker.outputFiles];
    files = await Promise.all(outputs.map(({ path, text }) => toCommonJs(basename(path), text)));
    if (buildsPanel || !isChatPanelFresh()) modules.push(...(await buildChatPanel()));
  } finally {
    await esbuild.stop();
  }
  placeFiles(files, programs);
  const bytes = bytesOf(files.filter(({ name }) => namesAtStart.has(name)));
  const onDemandBytes = bytesOf(files) - bytes;
  requireBelow(startLimit, bytes, 'what a window reads at its start');
  requireBelow(onDemandLimit, onDemandBytes, 'what a window reads on demand');
  return { milliseconds: Date.now() - startedAt, bytes, modules };
}

/** The names of the files that are reachable from the entry at its start. */
function filesReadAtStart({ outputs }) {
  const names = new Set();
  const add = (path) => {
    const name = basename(path);
    if (names.has(name) || onDemand.some((each) => name.startsWith(each)) || outputs[path] === undefined)
      return;
    names.add(name);
    for (const { path: imported } of outputs[path].imports) add(imported);
  };
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    if (entryPoint?.endsWith('src/extension.ts')) add(path);
  }
  return names;
}

function bytesOf(files) {
  return files.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
}

function requireBelow(limit, bytes, what) {
  if (bytes > limit) throw new Error(`${what} has ${bytes} bytes; the limit is ${limit}. Find what grew.`);
}

/** @returns {esbuild.BuildOptions & { write: false }} */
function buildOptions() {
  const { version } = JSON.parse(readFileSync(join(extensionFolder, 'package.json'), 'utf8'));
  return {
    entryPoints: { extension: entry },
    outdir: outFolder,
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    outExtension: { '.js': '.cjs' },
    chunkNames: '[name]-[hash]',
    bundle: true,
    // esbuild splits ES modules only, so each output file is converted to CommonJS afterwards, which VS Code loads.
    splitting: true,
    format: 'esm',
    write: false,
    metafile: true,
    platform: 'node',
    target,
    conditions: ['@tandem/source'],
    plugins: [withoutZodLocales, withoutJsonSchemaValidator, withOneVscode],
    sourcemap: 'inline',
    sourcesContent: false,
    legalComments: 'none',
    minify: true,
    logLevel: 'silent',
    // zod reads the browser's `navigator`, and VS Code logs an error for each extension that does.
    define: { TANDEM_VERSION: JSON.stringify(version), navigator: 'undefined' },
  };
}

async function toCommonJs(name, text) {
  const { code, map } = await esbuild.transform(text, {
    format: 'cjs',
    platform: 'node',
    target,
    minify: true,
    sourcemap: 'external',
    sourcefile: name,
    sourcesContent: false,
    legalComments: 'none',
    // The time of the activation includes loading the code.
    ...(name === 'extension.cjs' && { banner: 'const tandemLoadingSince=process.cpuUsage();' }),
  });
  return { name, code: `${code}//# sourceMappingURL=${name}.map\n`, map };
}

/** Writes the files, and what agents run for their hooks, and removes those of an earlier build. */
function placeFiles(files, programs) {
  mkdirSync(outFolder, { recursive: true });
  const names = new Set(files.flatMap(({ name }) => [name, `${name}.map`]));
  for (const name of readdirSync(outFolder)) {
    if (/\.cjs(\.map)?$/.test(name) && !names.has(name)) rmSync(join(outFolder, name));
  }
  for (const { name, text } of programs) writeFileSync(join(outFolder, name), text);
  for (const { name, code, map } of files) {
    writeFileSync(join(outFolder, name), code);
    writeFileSync(join(outFolder, `${name}.map`), map);
  }
}

/**
 * The MCP SDK includes a JSON schema validator, a third of the bundle, for questions to the user (elicitation). We do
 * not use that.
 */
const withoutJsonSchemaValidator = {
  name: 'without-json-schema-validator',
  setup(build) {
    build.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => ({
      path,
      namespace: 'stand-in',
    }));
    build.onLoad({ filter: /_shims$/, namespace: 'stand-in' }, () => ({
      contents: `
        import process from 'node:process';
        class DefaultJsonSchemaValidator {
          getValidator() {
            throw new Error('This bundle has no JSON schema validator: scripts/buildExtension.mjs leaves it out.');
          }
        }
        export { DefaultJsonSchemaValidator, process };`,
      loader: 'js',
      resolveDir: packages,
    }));
  },
};

/**
 * Our modules use `import * as vscode`. As CommonJS, each of them would request the API from the extension host and
 * copy its hundreds of members, which took most of the start. Converted to named imports, it is requested once per file
 * and not copied.
 */
const withOneVscode = {
  name: 'with-one-vscode',
  setup(build) {
    const namespace = 'vscode';
    build.onResolve({ filter: /^vscode$/ }, ({ path, namespace: importer }) =>
      importer === namespace ? { path, external: true } : { path, namespace, sideEffects: false },
    );
    build.onLoad({ filter: /./, namespace }, () => ({
      contents: `export { ${namesInVscode().join(', ')} } from 'vscode';`,
    }));
  },
};

/** The members of VS Code's API, without types. */
function namesInVscode() {
  const declarations = readFileSync(
    createRequire(import.meta.url).resolve('@types/vscode/index.d.ts'),
    'utf8',
  );
  const found = declarations.matchAll(
    /^\t(?:export )?(?:abstract )?(?:class|const|enum|function|namespace) (\w+)/gm,
  );
  return [...new Set([...found].map(([, name]) => name))];
}
