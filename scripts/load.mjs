/**
 * `npm run load`: runs one companion for a minute with 100 sessions of each agent, 1,000 proposals, and 10,000 editor
 * events per second. Fails if something is lost or memory grows. `npm run soak` runs for an hour. `-- --minutes N` sets
 * the duration, `-- --sessions N` the number of sessions.
 */
import { spawnSync } from 'node:child_process';
import { buildBench } from './buildBench.mjs';
import { root } from './devTool.mjs';

await buildBench(['load', 'servers/loadedCompanion']);
const { status } = spawnSync(process.execPath, [`${root}bench/dist/load.js`, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
