/**
 * `npm run bench`: what Tandem costs, as ratios measured in one run. Asserts nothing. With names as arguments
 * (`npm run bench -- openDiff start`) just those cases.
 */
import { spawnSync } from 'node:child_process';
import { buildBench } from './buildBench.mjs';
import { buildCommand } from './buildCommand.mjs';
import { buildPage } from './buildPage.mjs';
import { root } from './devTool.mjs';

await buildBench(['main', 'servers/companion', 'servers/probe', 'servers/sdkTool', 'servers/webSocketEcho']);
await buildCommand();
await buildPage();
const { status } = spawnSync(process.execPath, [`${root}bench/dist/main.js`, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
