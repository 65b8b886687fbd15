import { expect, it, onTestFinished } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { claude } from '../src/agents/claude.js';
import { ScriptedModel } from '../src/model/scriptedModel.js';
import { say } from '../src/model/turn.js';
import { Stage } from '../src/stage.js';
import { spawnTandem } from '../src/tandem.js';
import { installOnPath, throughTandem } from '../src/throughTandem.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';
const CORRECTED = 'one\nTWO, corrected\nthree\n';
const flags = ['--permission-mode', 'acceptEdits'];
const ownRule = 'The rule of the user.';

/** Starts `tandem run claude -p`, whose model edits a.txt. */
async function runHeadless(stage: Stage) {
  const model = await ScriptedModel.start(claude.dialect);
  onTestFinished(() => model.close());
  const site = { sandbox: stage.sandbox, cwd: stage.workspace, modelUrl: model.url, isIdeModeOn: true };
  await claude.prepare(site);
  await installOnPath(claude, stage.sandbox);
  const path = await stage.put('a.txt', BEFORE);
  model.script(...claude.replaceText(path, 'two', 'TWO'), say('It is done.'));
  const args = ['run', 'claude', '-p', 'edit it', ...flags];
  const child = spawnTandem(stage.sandbox, stage.workspace, args, claude.environment(site));
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end();
  let stdout = '';
  child.stdout.on('data', (text: Buffer) => {
    stdout += text.toString();
  });
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(stdout)));
  return { model, ended, review: await stage.tandem.nextReview({ agent: 'claude', path }) };
}

async function startInTerminal() {
  const stage = await Stage.open();
  await installOnPath(claude, stage.sandbox);
  const path = await stage.put('a.txt', BEFORE);
  const { running } = await stage.connect(claude, throughTandem(claude, flags));
  return { stage, running, path };
}

it.each([
  ['accepted', undefined, PROPOSED],
  ['corrected', CORRECTED, CORRECTED],
])('Claude Code with -p writes what was %s', async (_how, content, written) => {
  const stage = await Stage.open();
  const { ended, model, review } = await runHeadless(stage);
  expect(await stage.read('a.txt')).toBe(BEFORE);
  await stage.tandem.accept(review, content);
  expect(await ended).toContain('It is done.');
  expect(await stage.read('a.txt')).toBe(written);
  if (content !== undefined)
    expect(model.conversation.at(-1)?.raw).toContain('The user corrected this change');
});

it('Claude Code with -p passes the comments of a rejection to its model, which continues', async () => {
  const stage = await Stage.open();
  const { ended, model, review } = await runHeadless(stage);
  await stage.tandem.run('review', 'comment', review, '2', '-m', 'Keep the word `two`.');
  await stage.tandem.reject(review);
  expect(await ended).toContain('It is done.');
  expect(model.toolResults.at(-1)).toContain('Keep the word `two`.');
  expect(await stage.read('a.txt')).toBe(BEFORE);
});

it("the user's own hook of Claude Code still denies an edit that was accepted", exhaustive, async () => {
  const stage = await Stage.open();
  const denial = {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: ownRule,
    },
  };
  const hook = { type: 'command', command: `echo '${JSON.stringify(denial)}'` };
  const settings = { hooks: { PreToolUse: [{ matcher: 'Edit', hooks: [hook] }] } };
  await stage.sandbox.write(`${stage.sandbox.home}/.claude/settings.json`, JSON.stringify(settings));
  const { ended, model, review } = await runHeadless(stage);
  await stage.tandem.accept(review);
  expect(await ended).toContain('It is done.');
  expect(model.toolResults.at(-1)).toContain(ownRule);
  expect(await stage.read('a.txt')).toBe(BEFORE);
});

it('Escape at the question of Claude Code writes nothing, and ends the review', exhaustive, async () => {
  const { stage, running, path } = await startInTerminal();
  await running.propose(claude.replaceText(path, 'two', 'TWO'));
  const review = await stage.tandem.nextReview({ agent: 'claude', path });
  await running.decideInTerminal('reject');
  expect(await stage.tandem.outcomeOf(review)).toBe('withdrawn');
  await running.waitUntilIdle();
  expect(await stage.read('a.txt')).toBe(BEFORE);
});

it(
  'a companion that is killed at the question of Claude Code leaves it to the user',
  exhaustive,
  async () => {
    const { stage, running, path } = await startInTerminal();
    await running.propose(claude.replaceText(path, 'two', 'TWO'));
    await stage.tandem.nextReview({ agent: 'claude', path });
    await running.waitForApproval();
    await stage.restart('kill');
    await stage.tandem.waitForEvent('session.connected', { agent: 'claude' });
    expect(await stage.read('a.txt')).toBe(BEFORE);
    await running.decideInTerminal('accept');
    await running.waitUntilDone();
    expect(await stage.read('a.txt')).toBe(PROPOSED);
  },
);

it(
  'an edit of Claude Code after the end of the companion is denied, and its model learns why',
  exhaustive,
  async () => {
    const { stage, running, path } = await startInTerminal();
    await stage.tandem.run('stop');
    await running.propose(claude.replaceText(path, 'two', 'TWO'));
    await running.waitUntilDone();
    expect(running.model.toolResults.at(-1)).toContain('Tandem does not answer');
    expect(await stage.read('a.txt')).toBe(BEFORE);
  },
);
