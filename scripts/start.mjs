/**
 * `npm start`: the demo. `npm start -- ../my-project` serves that folder, and takes the options of `tandem serve`.
 */
import { spawn } from 'node:child_process';
import { root } from './devTool.mjs';

const args = process.argv.slice(2);
const command = args.length === 0 ? ['demo'] : ['serve', ...args];
const child = spawn(process.execPath, [`${root}hosts/standalone/bin/tandem.js`, ...command], {
  // Where the user typed it: npm runs its scripts in the root.
  cwd: process.env.INIT_CWD ?? process.cwd(),
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => process.exit(code ?? 1));
