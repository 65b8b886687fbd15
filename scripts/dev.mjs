/**
 * `npm run dev`: after every change, bundles the command, builds its page and restarts `tandem serve` on a scratch
 * folder. A scripted agent proposes one change after the other there, so that there is always a pending review.
 */
import { execFile, fork } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { formatMessagesSync } from 'esbuild';
import { watchCommand } from './buildCommand.mjs';
import { hasPageSource, watchPage } from './buildPage.mjs';
import { root } from './devTool.mjs';
import { importTypeScript } from './importTypeScript.mjs';

const command = `${root}hosts/standalone/bin/tandem.js`;
const pauseMs = 2_000;
const file = 'greeting.js';

const { DemoAgent } = await importTypeScript('hosts/standalone/src/demoAgent.ts');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tandem-dev-')));
writeFileSync(join(folder, file), "console.log('Hello');\n");

let serving;
let restarting = Promise.resolve();
process.once('exit', () => {
  serving?.kill();
  rmSync(folder, { recursive: true, force: true });
});

console.log(`A scripted agent works in ${folder}. From another terminal: cd ${folder}`);
if (hasPageSource()) {
  watchPage((error) => {
    if (error !== undefined) console.error(`The page could not be built: ${error.message ?? error}`);
  });
}
await watchCommand((errors) => {
  if (errors.length > 0) console.error(formatMessagesSync(errors, { kind: 'error', color: true }).join('\n'));
  else restarting = restarting.then(restart);
});

async function restart() {
  if (serving !== undefined && serving.exitCode === null) {
    const ended = new Promise((resolve) => serving.once('exit', resolve));
    serving.kill();
    await ended;
  }
  const child = fork(command, ['serve', '--no-open', folder]);
  serving = child;
  child.once('message', () => {
    playAgent(child).catch((error) => {
      if (child === serving && child.exitCode === null)
        console.error('The scripted agent ended:', error.message);
    });
  });
}

/** Proposes until the companion is replaced. */
async function playAgent(companion) {
  const agent = await DemoAgent.connect(await discoveryFileOf(companion.pid));
  try {
    for (let turn = 1; companion === serving; turn += 1) {
      await agent.propose(folder, file, `console.log('Hello');\nconsole.log('This is proposal ${turn}.');\n`);
      await wait(pauseMs);
    }
  } finally {
    await agent.close();
  }
}

/** The file by which an agent like Gemini CLI finds the companion. */
async function discoveryFileOf(pid) {
  const { stdout } = await promisify(execFile)(process.execPath, [command, 'status', '--json']);
  const { agents } = JSON.parse(stdout).find((companion) => companion.pid === pid);
  return agents.find(({ id }) => id === 'gemini').discovery[0].file;
}
