/**
 * `npm run bench`: what Tandem costs, as ratios measured in one run. Asserts nothing. With names as arguments
 * (`npm run bench -- openDiff start`) just those cases.
 */
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { buildCommand } from './buildCommand.mjs';
import { buildPage } from './buildPage.mjs';
import { root } from './devTool.mjs';

const names = ['main', 'servers/companion', 'servers/sdkTool', 'servers/webSocketEcho'];
await build({
  entryPoints: names.map((name) => ({ in: `${root}bench/${name}.ts`, out: name })),
  outdir: `${root}bench/dist`,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  conditions: ['@tandem/source'],
  // Each bundle holds our sources; what they depend on is the installed one, for us and for the floor.
  external: ['ws', '@modelcontextprotocol/*', 'esbuild'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
await buildCommand();
await buildPage();
const { status } = spawnSync(process.execPath, [`${root}bench/dist/main.js`, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
