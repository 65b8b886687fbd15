import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildWorker } from '../../changes/test/support/builtWorker.js';
import type { CompanionStage } from './support/companionStage.js';
import { HookedAgent } from './support/hookedAgent.js';
import { useSuccessiveCompanions } from './support/successiveCompanions.js';

const createSite = useSuccessiveCompanions();
let workerFile: string;
beforeAll(async () => {
  workerFile = await buildWorker();
});

function site(files: Readonly<Record<string, string>>) {
  const { folder, begin } = createSite(files, { changes: { workerFile } });
  const path = (name: string): string => join(folder, name);
  return {
    folder,
    begin,
    path,
    read: (name: string): string => readFileSync(path(name), 'utf8'),
    write: (name: string, text: string): void => writeFileSync(path(name), text),
  };
}

const lines = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const entriesOf = ({ companion }: CompanionStage) =>
  companion.history.entries.map(({ path, decided: { how, evidence, turn } }) => ({
    path,
    how,
    evidence,
    turn,
  }));

test('what a command writes is recorded with the command and its turn, and undone without the rest [HOK-12]', async () => {
  const { begin, path, read, write, folder } = site({ 'a.txt': lines, 'b.txt': lines, 'gone.txt': lines });
  const stage = await begin();
  const agent = new HookedAgent(stage);
  await agent.prompt('Rename  two\nto TWO');
  const sed = 'sed -i s/two/TWO/ a.txt && rm gone.txt && echo new > new.txt';
  await agent.run(sed, () => execFileSync('sh', ['-c', sed], { cwd: folder }));
  // The user's, between two commands.
  write('a.txt', read('a.txt').replace('six', 'SIX'));
  await agent.run('true', () => {});
  await agent.stop();
  const evidence = { kind: 'command', commands: [sed] };
  const of = { how: 'written', evidence, turn: { number: 1, prompt: 'Rename two to TWO' } };
  expect(entriesOf(stage).sort((one, other) => one.path.localeCompare(other.path))).toEqual([
    { path: path('a.txt'), ...of },
    // No editor has said whose it is.
    { path: path('a.txt'), ...of, evidence: { kind: 'turn' } },
    { path: path('gone.txt'), ...of },
    { path: path('new.txt'), ...of },
  ]);
  const [{ session = '' } = {}] = stage.companion.history.entries;
  await stage.companion.changes.restore({ session, turn: 1 });
  expect(read('a.txt')).toBe(lines.replace('six', 'SIX'));
  expect(read('gone.txt')).toBe(lines);
  expect(() => read('new.txt')).toThrow('ENOENT');
});

test('what changes in a turn outside of commands is uncertain, and in no undo of several [HOK-13]', async () => {
  const { begin, read, write, path } = site({ 'a.txt': lines });
  const stage = await begin();
  const agent = new HookedAgent(stage);
  await agent.prompt('first');
  await agent.run('true', () => {});
  write('a.txt', lines.replace('two', 'TWO'));
  await agent.run('true', () => {});
  await agent.stop();
  expect(entriesOf(stage)).toMatchObject([{ path: path('a.txt'), evidence: { kind: 'turn' } }]);
  const [{ session = '' } = {}] = stage.companion.history.entries;
  expect(await stage.companion.changes.restore({ session })).toMatchObject([{ kind: 'nothing' }]);
  expect(read('a.txt')).toBe(lines.replace('two', 'TWO'));
  await stage.companion.changes.restore({ ids: ['w1'] });
  expect(read('a.txt')).toBe(lines);
});

test('what the user saved in the editor is not taken for a change of an agent', async () => {
  const { begin, path } = site({ 'a.txt': lines });
  const stage = await begin();
  const agent = new HookedAgent(stage);
  const saved = lines.replace('two', 'mine');
  await agent.prompt('first');
  await agent.run('sleep 1', async () => {
    const { documents } = stage.editor;
    await documents.open(path('a.txt'));
    documents.type(path('a.txt'), saved);
    await documents.save(path('a.txt'));
  });
  await agent.stop();
  expect(entriesOf(stage)).toEqual([]);
});

test('lines of an agent stay its own if the user saves over them while its command runs', async () => {
  const { begin, path, read, write } = site({ 'a.txt': lines });
  const stage = await begin();
  const agent = new HookedAgent(stage);
  const { documents } = stage.editor;
  const written = lines.replace('two', 'TWO');
  await agent.prompt('first');
  await agent.run('./script', async () => {
    write('a.txt', written);
    documents.focus(path('a.txt'));
    documents.type(path('a.txt'), written.replace('six', 'mine'));
    await expect.poll(() => entriesOf(stage)).toHaveLength(1);
    await documents.save(path('a.txt'));
  });
  await agent.stop();
  expect(stage.companion.history.entries).toMatchObject([
    { content: written, decided: { evidence: { kind: 'command', commands: ['./script'] } } },
  ]);
  const [{ session = '' } = {}] = stage.companion.history.entries;
  await stage.companion.changes.restore({ session });
  expect(read('a.txt')).toBe(lines.replace('six', 'mine'));
});

test('what an agent does after something in the background has ended belongs to the turn that began it', async () => {
  const { begin, path } = site({ 'a.txt': lines });
  const stage = await begin();
  const agent = new HookedAgent(stage);
  await agent.prompt('first');
  await agent.stop();
  await agent.prompt('<task-notification>\n<status>completed</status>\n</task-notification>');
  await agent.run('make', () => appendFileSync(path('a.txt'), 'eight\n'));
  expect(entriesOf(stage)).toMatchObject([
    { evidence: { kind: 'command' }, turn: { number: 1, prompt: 'first' } },
  ]);
});

test('what changes while something of a turn runs in the background is uncertain', async () => {
  const { begin, write } = site({ 'a.txt': lines });
  const stage = await begin();
  const agent = new HookedAgent(stage);
  await agent.prompt('first');
  await agent.run('make &', () => {});
  await agent.stop([{ id: 'b1', type: 'shell', status: 'running' }]);
  write('a.txt', lines.replace('two', 'TWO'));
  await agent.prompt('second');
  await agent.run('true', () => {});
  expect(entriesOf(stage)).toMatchObject([{ evidence: { kind: 'turn' } }]);
});

test('what two agents may have written is attributed to neither', async () => {
  const { begin, path } = site({ 'a.txt': lines });
  const stage = await begin();
  const [one, other] = [new HookedAgent(stage, 'one'), new HookedAgent(stage, 'two')];
  await Promise.all([one.prompt('first'), other.prompt('second')]);
  await one.run('make', () => other.run('make', () => appendFileSync(path('a.txt'), 'eight\n')));
  expect(entriesOf(stage)).toEqual([]);
});

test('a file that an agent removes and writes again, and its own undo, are no further changes', async () => {
  const { begin, path, read, write } = site({ 'a.txt': lines });
  const stage = await begin();
  const agent = new HookedAgent(stage);
  await agent.prompt('first');
  await agent.run('rm a.txt', () => rmSync(path('a.txt')));
  await agent.run('git checkout a.txt', () => write('a.txt', lines));
  expect(entriesOf(stage)).toHaveLength(2);
  await agent.run('echo', () => write('a.txt', 'other\n'));
  await stage.companion.changes.restore({ ids: ['w3'] });
  expect(read('a.txt')).toBe(lines);
  await agent.run('true', () => {});
  expect(entriesOf(stage).map(({ how }) => how)).toEqual(['written', 'written', 'written', 'restored']);
});
