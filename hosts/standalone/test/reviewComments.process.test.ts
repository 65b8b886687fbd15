import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScriptedAgent } from './support/scriptedAgent.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

const original = 'one\ntwo\nthree\n';

let scratch: Scratch;
let companion: TandemProcess;
let agent: ScriptedAgent;

beforeAll(async () => {
  scratch = new Scratch('work');
  companion = await scratch.serve();
  agent = await ScriptedAgent.connect((await companion.event('ready')).agents.gemini.discovery[0]);
});
afterAll(async () => {
  await agent.end();
  await scratch.dispose();
});

const tandem = (args: string) => scratch.command(args.split(' '));
async function propose(): Promise<string> {
  await agent.propose(scratch.write('a.txt', original), original.replace('one', 'ONE'));
  return (await companion.event('review.opened')).id;
}

test('tandem review comments on lines, and rejects with the comments as a text to paste where nothing else is safe', async () => {
  const id = await propose();
  const comment = (words: string) => tandem(`review comment ${id} ${words}`);
  expect((await comment('1-2 -m Why?')).stdout).toBe('Comment 1 on a.txt:1-2:\n  > ONE\n  > two\n  Why?\n');
  expect((await comment('a.txt:1 --original -m Keep')).stdout).toContain(
    'Comment 2 on a.txt:1 before the change:\n  > one\n  Keep\n',
  );
  expect((await comment('--edit 2 -m Keep-it')).code).toBe(0);
  expect((await tandem('review show')).stdout).toContain('before the change:\n  > one\n  Keep-it\n');
  expect((await tandem('review list')).stdout).toContain('2 comments');
  expect((await comment('--remove 2')).stdout).not.toContain('Keep');
  expect(await comment('b.txt:1 -m x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a.txt'),
  });
  expect(await comment('99 -m x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Valid lines'),
  });
  expect(await comment('1')).toMatchObject({ code: 2, stderr: expect.stringContaining('-m TEXT') });
  const other = scratch.write('b.txt', original);
  await agent.propose(other, original.replace('two', 'TWO'));
  const { id: next } = await companion.event('review.opened', ({ path }) => path === other);
  const rejected = await tandem(`review reject ${id} --feedback -m Again`);
  expect(rejected.stdout).toMatch(
    new RegExp(
      `\\n +${id}  gemini  a\\.txt .*rejected.*\\n1 pending in this session\\. Next: tandem review show ${next}\\n$`,
    ),
  );
  expect(rejected.stdout).toMatch(
    /^The feedback could not be put into the prompt of Gemini CLI: .*\. Paste it there yourself\. .* hook install gemini\n\nReview of a\.txt: rejected\.\n/,
  );
  expect(rejected.stdout).toContain('Lines 1-2:\n│ ONE\n│ two\nWhy?\n\nOn the whole proposal:\nAgain\n');
  const { text } = JSON.parse((await tandem(`review feedback ${id} --json`)).stdout);
  expect(text).toContain('Why?');
  expect(text).not.toContain('Again');
});
