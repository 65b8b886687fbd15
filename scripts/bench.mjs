/**
 * `npm run bench`: measures what Tandem costs, as ratios within one run. It asserts nothing. Names as arguments (`npm
 * run bench -- openDiff start`) select cases.
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
