import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { describeMatrix } from '../../test/describeMatrix.js';
import { exhaustive } from '../../test/exhaustive.js';
import { agents } from '../src/agents/all.js';
import { claude } from '../src/agents/claude.js';
import { gemini } from '../src/agents/gemini.js';
import type { Sandbox } from '../src/sandbox.js';
import { openSandbox, Stage, serve, startAgent } from '../src/stage.js';
import { tandem } from '../src/tandem.js';
import { installOnPath, throughTandem } from '../src/throughTandem.js';

/** `tandem run`: the agent connects and asks before it edits, without flags from the user. */
it('starts Claude Code, and a companion, if there is none', async () => {
  const sandbox = await openSandbox();
  const workspace = await sandbox.folder('workspace');
  onTestFinished(async () => {
    await tandem(sandbox, workspace, ['stop']);
  });
  await installOnPath(claude, sandbox);
  const path = await sandbox.write(`${workspace}/a.txt`, 'one\ntwo\n');
  const running = await startAgent(claude, sandbox, workspace, throughTandem(claude));
  await running.propose(claude.replaceText(path, 'two', 'TWO'));
  await running.waitForApproval();
  await acceptOnly(sandbox, workspace);
  await running.waitUntilDone();
  expect(await readFile(path, 'utf8')).toBe('one\nTWO\n');
});

describeMatrix(agents, [gemini], 'tandem run starts $name', (agent) => {
  it('connected to the running companion', async () => {
    const stage = await Stage.open();
    await installOnPath(agent, stage.sandbox);
    const path = await stage.put('a.txt', 'one\ntwo\n');
    const { running, session } = await stage.connect(agent, throughTandem(agent));
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ agent: agent.kind, session, path });
    await stage.tandem.accept(review);
    await running.waitUntilDone();
    expect(await stage.read('a.txt')).toBe('one\nTWO\n');
  });
});

it('connects Gemini CLI although another program occupies the folder of its file', exhaustive, async () => {
  const sandbox = await openSandbox();
  const workspace = await sandbox.folder('workspace');
  await sandbox.write(`${sandbox.temporary}/gemini`, '');
  const server = await serve(sandbox, workspace);
  await installOnPath(gemini, sandbox);
  await startAgent(gemini, sandbox, workspace, throughTandem(gemini));
  await server.waitForEvent('session.connected', { agent: 'gemini' });
});

it('switches the IDE mode of Gemini CLI on where only root can write; elsewhere it says what to type', async () => {
  const isRoot = process.getuid?.() === 0;
  const sandbox = await openSandbox();
  const workspace = await sandbox.folder('workspace');
  // Not in the sandbox, which is below a folder that others can write.
  const home = isRoot ? await mkdtemp('/run/tandem-e2e-') : sandbox.home;
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const server = await serve(sandbox, workspace);
  await installOnPath(gemini, sandbox);
  const how = { ...throughTandem(gemini), isIdeModeOn: false };
  const env = { HOME: home, GEMINI_CLI_HOME: sandbox.home };
  const running = await startAgent(gemini, sandbox, workspace, { ...how, env });
  if (isRoot) await server.waitForEvent('session.connected', { agent: 'gemini' });
  else await running.terminal.waitFor(/type \/ide enable/);
});

/**
 * Accepts the one pending review. A companion that `tandem run` started offers no event stream here, and the CLI shows
 * its question shortly before it opens the review, so this retries.
 */
async function acceptOnly(sandbox: Sandbox, workspace: string): Promise<void> {
  let last = '';
  for (let attempt = 0; attempt < 20; attempt++) {
    const { code, stderr } = await tandem(sandbox, workspace, ['review', 'accept']);
    if (code === 0) return;
    last = stderr;
  }
  throw new Error(`no review could be accepted: ${last}`);
}
