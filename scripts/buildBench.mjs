import { build } from 'esbuild';
import { root } from './devTool.mjs';

/**
 * Bundles programs of `bench/` into `bench/dist`.
 *
 * @param {readonly string[]} names such as `main` and `servers/companion`
 */
export async function buildBench(names) {
  await build({
    entryPoints: names.map((name) => ({ in: `${root}bench/${name}.ts`, out: name })),
    outdir: `${root}bench/dist`,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['@tandem/source'],
    // Each bundle contains our sources; dependencies are the installed ones, for us and for the baselines.
    external: ['ws', '@modelcontextprotocol/*', 'esbuild'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
}
