import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { buildChatPanel, isChatPanelFresh } from './buildChatPanel.mjs';
import { withoutZodLocales } from './withoutZodLocales.mjs';

export const extensionFolder = fileURLToPath(new URL('../hosts/vscode/', import.meta.url));
const packages = fileURLToPath(new URL('../packages/', import.meta.url));

/**
 * The extension is several files, because VS Code waits for the first: what registers with it. The client of a daemon is
 * in `chat`, which is read when the chat is first used. `core` is apart because all others use it, and an error must be
 * of the same class for them.
 */
const entries = {
  extension: join(extensionFolder, 'src/extension.ts'),
  core: join(packages, 'core/src/index.ts'),
  companion: join(packages, 'companion/src/index.ts'),
  chat: join(extensionFolder, 'src/chat/chatWindow.ts'),
};

/** All files together, in bytes: a window reads them at every start, over a slow line to a container as well. */
const bundleLimit = 780 * 1024;

/** Whether this checkout holds the extension's source. */
export function hasExtensionSource() {
  return existsSync(entries.extension);
}

/**
 * Bundles the VS Code extension into `hosts/vscode/dist`, and builds its chat panel unless that is as new as its source.
 *
 * @returns {Promise<{ milliseconds: number, bytes: number }>}
 * @throws {esbuild.BuildFailure} when the source does not compile
 * @throws {Error} when the bundles are too large
 */
export async function buildExtension() {
  const startedAt = Date.now();
  const names = Object.keys(entries);
  try {
    await Promise.all(names.map((name) => esbuild.build(buildOptions(name))));
    if (!isChatPanelFresh()) await buildChatPanel();
  } finally {
    await esbuild.stop();
  }
  const bytes = names.reduce((sum, name) => sum + statSync(bundlePath(name)).size, 0);
  if (bytes > bundleLimit) {
    throw new Error(
      `the extension's bundles are ${bytes} bytes together, ${bundleLimit} are the limit: find what grew`,
    );
  }
  return { milliseconds: Date.now() - startedAt, bytes };
}

function bundlePath(name) {
  return join(extensionFolder, 'dist', `${name}.cjs`);
}

/** @returns {esbuild.BuildOptions} */
function buildOptions(name) {
  const { version } = JSON.parse(readFileSync(join(extensionFolder, 'package.json'), 'utf8'));
  return {
    entryPoints: [entries[name]],
    outfile: bundlePath(name),
    bundle: true,
    platform: 'node',
    // What VS Code 1.100, the oldest that we support, runs extensions with.
    target: 'node20',
    format: 'cjs',
    conditions: ['@tandem/source'],
    external: ['vscode'],
    plugins: [withoutZodLocales, withoutJsonSchemaValidator, otherBundles(name)],
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    minify: true,
    logLevel: 'silent',
    define: { TANDEM_VERSION: JSON.stringify(version) },
    // What the window waits for includes that the code is read.
    ...(name === 'extension' && { banner: { js: 'const tandemLoadingSince=performance.now();' } }),
  };
}

/**
 * The MCP SDK brings a validator of JSON schemas, a third of the bundle, for what a server asks of the person through
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

/** Leaves to the other bundles what is theirs. */
function otherBundles(name) {
  return {
    name: 'other-bundles',
    setup(build) {
      build.onResolve({ filter: /^@tandem\/(core|companion)$/ }, ({ path }) => {
        const other = path.slice('@tandem/'.length);
        return other === name ? undefined : { path: `./${other}.cjs`, external: true };
      });
      build.onResolve({ filter: /^\.\/chatWindow\.js$/ }, () => ({ path: './chat.cjs', external: true }));
    },
  };
}
