/** @module-tag exhaustive */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ScriptedAgent } from './support/scriptedAgent.js';
import { Scratch } from './support/tandemProcess.js';

const five = 'one\ntwo\nthree\nfour\nfive\n';
const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
const bom = '\uFEFF';
/** What the agent proposes, and what the editor of the user makes of it. */
const changed = (text: string): string => text.replace('one', 'ONE').replace('five', 'FIVE');
const edited = (text: string): string => text.replace('three', 'three, mine');
const theirs = (text: string): string => text.replace('three', 'three, theirs');

interface Change {
  readonly name: string;
  /** Absent: a new file. */
  readonly before?: string;
  readonly proposed: string;
  readonly isEdited?: true;
  /** The text of a comment that rejects it. */
  readonly rejects?: string;
  /** The hunk that is dropped, counted from 1. */
  readonly drops?: number;
  /** What another program does to the file while it is under review. */
  readonly meanwhile?: 'deletes' | 'edits';
  /** What the file contains in the end; absent: no file. */
  readonly after?: string;
}

const unix = { before: five, proposed: changed(five) };
const dos = { before: crlf(five), proposed: crlf(changed(five)) };
const marked = { before: bom + five, proposed: bom + changed(five) };
const open = { before: five.trimEnd(), proposed: changed(five).trimEnd() };
const changes: readonly Change[] = [
  { name: 'plain.txt', ...unix, after: changed(five) },
  { name: 'dos.txt', ...dos, isEdited: true, after: crlf(edited(changed(five))) },
  { name: 'bom.txt', ...marked, isEdited: true, after: bom + edited(changed(five)) },
  {
    name: 'bom and dos.txt',
    before: bom + dos.before,
    proposed: bom + dos.proposed,
    after: bom + dos.proposed,
  },
  { name: 'rejected.txt', ...dos, rejects: 'Not so', after: dos.before },
  { name: 'open.txt', ...open, isEdited: true, after: edited(open.proposed) },
  { name: 'sub/ü/new.txt', proposed: 'three\r\n', isEdited: true, after: 'three, mine\r\n' },
  // The companion is killed here, after the edit.
  { name: 'killed.txt', ...dos, isEdited: true, after: crlf(edited(changed(five))) },
  { name: 'deleted.txt', ...unix, meanwhile: 'deletes', isEdited: true, after: edited(changed(five)) },
  { name: 'merged.txt', ...unix, meanwhile: 'edits', after: theirs(changed(five)) },
  { name: 'new and rejected.txt', proposed: 'new\n', rejects: 'Not here' },
  { name: 'run.sh', ...unix, drops: 2, after: five.replace('one', 'ONE') },
  { name: 'rejected too.txt', ...unix, isEdited: true, rejects: 'Nor so', after: five },
  { name: 'restored.txt', ...marked, after: marked.before },
];

let scratch: Scratch;
beforeAll(() => {
  scratch = new Scratch();
});
afterAll(() => scratch.dispose());

const path = (name: string): string => join(scratch.workspace, name);
const contentOf = (name: string): string | undefined =>
  existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined;

/** Runs `tandem`, which succeeds, and returns its output. */
async function tandem(...args: string[]): Promise<string> {
  const env = { EDITOR: "sed -i 's/three/three, mine/'" };
  const { code, stdout, stderr } = await scratch.command(args, { env });
  expect([args, code, stderr]).toEqual([args, 0, '']);
  return stdout;
}

test('a session of 14 files is reviewed with commands, over a kill, and every file is as decided', async () => {
  for (const { name, before } of changes) if (before !== undefined) scratch.write(name, before);
  chmodSync(path('run.sh'), 0o755);
  const first = await scratch.serve();
  const agent = await ScriptedAgent.connect((await first.event('ready')).agents.gemini.discovery[0]);
  const { client } = agent;
  for (const { name, proposed } of changes) await agent.propose(path(name), proposed);
  const comments = changes.filter(({ rejects }) => rejects !== undefined);
  const reviews: { id: string; path: string }[] = JSON.parse(await tandem('review', 'list', '--json'));
  const idOf = (name: string): string => reviews.find((review) => review.path === path(name))?.id ?? '';
  for (const { name, rejects = '' } of comments)
    await tandem('review', 'comment', idOf(name), '1', '-m', rejects);

  for (const { name, isEdited, drops, meanwhile, rejects } of changes) {
    const id = idOf(name);
    if (meanwhile === 'deletes') rmSync(path(name));
    if (meanwhile === 'edits') writeFileSync(path(name), theirs(five));
    if (drops !== undefined) await tandem('review', 'drop', id, `${drops}`);
    if (isEdited) expect(await tandem('review', 'edit', id)).toContain('three, mine');
    if (name === 'killed.txt') {
      await first.signal('SIGKILL');
      await scratch.serve();
      await vi.waitFor(async () => expect((await client.openStream()).status).toBe(200));
      expect(await tandem('review', 'show', id)).toContain('three, mine');
    }
    if (meanwhile === 'edits') expect(await tandem('review', 'show', id)).toContain('merged into this text');
    if (rejects !== undefined) {
      expect(await tandem('review', 'reject', id, '--feedback', '-m', 'Again')).toContain(rejects);
      expect((await client.next('ide/diffRejected')).params.filePath).toBe(path(name));
      continue;
    }
    if (meanwhile === 'deletes') {
      expect(await scratch.command(['review', 'accept', id])).toMatchObject({ code: 1 });
      await tandem('review', 'accept', id, '--overwrite');
    } else if (name === 'run.sh') {
      expect(await scratch.command(['review', 'accept', id])).toMatchObject({ code: 1 });
      await tandem('review', 'accept', id, '--yes', 'executable');
    } else await tandem('review', 'accept', id);
    const { params } = await client.next('ide/diffAccepted');
    expect(params.filePath).toBe(path(name));
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), params.content);
  }
  expect(await tandem('review', 'list')).toBe('No pending reviews.\n');
  await tandem('restore', '--file', 'restored.txt');
  for (const { name, after } of changes) expect([name, contentOf(name)]).toEqual([name, after]);
  expect(statSync(path('run.sh')).mode & 0o777).toBe(0o755);

  const patch = await tandem('changes', '--all');
  execFileSync('git', ['apply', '--reverse', '--whitespace=nowarn'], {
    cwd: scratch.workspace,
    input: patch,
  });
  for (const { name, before, meanwhile } of changes) {
    const earlier = meanwhile === 'edits' ? theirs(five) : before;
    expect([name, contentOf(name)]).toEqual([name, earlier]);
  }
  await agent.end();
});
