import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { buildChatPanel, isChatPanelFresh } from './buildChatPanel.mjs';
import { withoutZodLocales } from './withoutZodLocales.mjs';

export const extensionFolder = fileURLToPath(new URL('../hosts/vscode/', import.meta.url));
const packages = fileURLToPath(new URL('../packages/', import.meta.url));

/**
 * What VS Code waits for: what registers with it. What it imports lazily is in files of its own: the companion, and the
 * chat with the client of a daemon, which is read when the chat is first used. What several of them use is in one file
 * alone, zod above all, and an error is of the same class for all.
 */
const entry = join(extensionFolder, 'src/extension.ts');
const outFolder = join(extensionFolder, 'dist');

/** What a window reads at every start, in bytes. */
const startLimit = 600 * 1024;
/** What it reads when the chat is first used, in bytes: mostly the daemon's client. */
const chatLimit = 220 * 1024;

/** What VS Code 1.100, the oldest that we support, runs extensions with. */
const target = 'node20';

/** Whether this checkout holds the extension's source. */
export function hasExtensionSource() {
  return existsSync(entry);
}

/**
 * Bundles the VS Code extension into `hosts/vscode/dist`, and builds its chat panel unless that is as new as its source.
 *
 * @returns {Promise<{ milliseconds: number, bytes: number }>} `bytes` that a window reads at its start
 * @throws {esbuild.BuildFailure} when the source does not compile
 * @throws {Error} when the bundles are too large
 */
export async function buildExtension() {
  const startedAt = Date.now();
  let files;
  let namesAtStart;
  try {
    const { outputFiles, metafile } = await esbuild.build(buildOptions());
    namesAtStart = filesReadAtStart(metafile);
    files = await Promise.all(outputFiles.map(({ path, text }) => toCommonJs(basename(path), text)));
    if (!isChatPanelFresh()) await buildChatPanel();
  } finally {
    await esbuild.stop();
  }
  placeFiles(files);
  const bytes = bytesOf(files.filter(({ name }) => namesAtStart.has(name)));
  const chatBytes = bytesOf(files) - bytes;
  requireBelow(startLimit, bytes, 'what a window reads at its start');
  requireBelow(chatLimit, chatBytes, 'what the chat adds');
  return { milliseconds: Date.now() - startedAt, bytes };
}

/** The names of the files that are reachable from the entry without opening the chat. */
function filesReadAtStart({ outputs }) {
  const names = new Set();
  const add = (path) => {
    const name = basename(path);
    if (names.has(name) || name.startsWith('chatWindow-') || outputs[path] === undefined) return;
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
  if (bytes > limit) throw new Error(`${what} has ${bytes} bytes, ${limit} are the limit: find what grew`);
}

/** @returns {esbuild.BuildOptions & { write: false }} */
function buildOptions() {
  const { version } = JSON.parse(readFileSync(join(extensionFolder, 'package.json'), 'utf8'));
  return {
    entryPoints: { extension: entry },
    outdir: outFolder,
    outExtension: { '.js': '.cjs' },
    chunkNames: '[name]-[hash]',
    bundle: true,
    // esbuild splits ES modules only: they are made CommonJS, which VS Code loads, one by one afterwards.
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
    // zod asks for a browser's `navigator`, and VS Code logs an error for each extension that does.
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
    // The work of activating includes that the code is read.
    ...(name === 'extension.cjs' && { banner: 'const tandemLoadingSince=process.cpuUsage();' }),
  });
  return { name, code: `${code}//# sourceMappingURL=${name}.map\n`, map };
}

/** Writes the files, and removes those of an earlier build. */
function placeFiles(files) {
  mkdirSync(outFolder, { recursive: true });
  const names = new Set(files.flatMap(({ name }) => [name, `${name}.map`]));
  for (const name of readdirSync(outFolder)) {
    if (/\.cjs(\.map)?$/.test(name) && !names.has(name)) rmSync(join(outFolder, name));
  }
  for (const { name, code, map } of files) {
    writeFileSync(join(outFolder, name), code);
    writeFileSync(join(outFolder, `${name}.map`), map);
  }
}

/**
 * The MCP SDK brings a validator of JSON schemas, a third of the bundle, for what a server asks of the user through
 * the client. We ask nothing that way.
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
            throw new Error('This bundle validates no JSON schemas: scripts/buildExtension.mjs leaves that out.');
          }
        }
        export { DefaultJsonSchemaValidator, process };`,
      loader: 'js',
      resolveDir: packages,
    }));
  },
};

/**
 * Our modules name all of VS Code's API, `import * as vscode`. Made CommonJS as it stands, each of them would ask the
 * extension host for it and copy its hundreds of members, which was most of the work of starting. Named imports, which
 * these become, are asked for once a file and not copied.
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

/** What VS Code's API holds, types left out. */
function namesInVscode() {
  const declarations = readFileSync(
    createRequire(import.meta.url).resolve('@types/vscode/index.d.ts'),
    'utf8',
  );
  const found = declarations.matchAll(
    /^\texport (?:abstract )?(?:class|const|enum|function|namespace) (\w+)/gm,
  );
  return [...new Set([...found].map(([, name]) => name))];
}
