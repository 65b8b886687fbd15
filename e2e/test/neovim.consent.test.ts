import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Neovim } from '../src/neovim/neovim.js';
import { NeovimStage, PROPOSED, TEXT } from '../src/neovim/neovimStage.js';

let stage: NeovimStage;
let neovim: Neovim;

beforeAll(async () => {
  stage = await NeovimStage.create();
  neovim = stage.neovim;
});

afterAll(() => stage?.dispose());

/** A proposal in whose view the user is. */
async function reviewing(name: string, text: string | Buffer = TEXT) {
  await stage.reset();
  const proposal = await stage.pending(text, name);
  await neovim.waitFor('reviews=1 tabs=1/2');
  await neovim.command('Tandem');
  await neovim.waitFor('tabs=2/2');
  return proposal;
}

describe('before a dangerous acceptance', () => {
  it.each([
    ['.git/hooks/pre-commit', '.git folder'],
    ['.envrc', '.envrc'],
    ['.vscode/tasks.json', 'tasks.json'],
  ])('the user is asked, and accepts nothing without an answer: %s', async (name, words) => {
    const { answer } = await reviewing(name);
    for (const keys of [':w\r', ':Tandem accept\r']) {
      await neovim.type(keys);
      await neovim.waitFor(`Accept the proposal for ${name}?`);
      await neovim.waitFor(words);
      await neovim.waitFor('[C]ancel');
      await neovim.type('\r');
      await neovim.waitFor('reviews=1 tabs=2/2 decided=>');
    }
    await neovim.command('w');
    await neovim.waitFor('(A)ccept anyway');
    await neovim.type('a');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('a key that the user typed before the question does not answer it', async () => {
    const { answer, withdraw } = await reviewing('.git/config');
    await neovim.type(':w\raaa');
    await neovim.waitFor('[C]ancel');
    await neovim.type('\r');
    await neovim.waitFor('reviews=1 tabs=2/2 decided=>');
    await neovim.type('\x1b');
    await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
    expect((await answer)[0]).not.toBe('FILE_SAVED');
  });

  it('the list has the other warnings, too', async () => {
    await stage.reset();
    const { withdraw } = await stage.pending(TEXT, 'emptied.txt', '');
    await neovim.waitFor('reviews=1 tabs=1/2');
    await neovim.command('Tandem list');
    await neovim.waitFor('The proposal empties the file.');
    await neovim.command('cclose');
    await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
  });

  it('the list names the path and what is dangerous, each whole', async () => {
    const { withdraw } = await reviewing('.git/hooks/post-merge');
    await neovim.command('tabfirst');
    await neovim.command('set columns=50');
    await neovim.command('Tandem list');
    await neovim.waitFor('.git/hooks/post-merge|2| Claude Code');
    await neovim.terminal.waitFor((screen) =>
      screen.replaceAll(/\s+/g, ' ').includes('Git may run commands that it contains.'),
    );
    await neovim.command('cclose | set columns=160');
    await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
  });
});

it('offers to show both versions of a conflict, in which nothing is lost', async () => {
  const { path, answer } = await reviewing('conflict.txt');
  await stage.put(basename(path), TEXT.replace('two', '2'));
  await neovim.waitFor('conflict: :Tandem merge');
  await neovim.command('w');
  await neovim.waitFor('(S)how both versions');
  await neovim.type('s');
  await neovim.waitFor('<<<<<<<');
  await neovim.command('g/^=======/,/^>>>>>>>/d');
  await neovim.command('g/^<<<<<<</d');
  await neovim.command('w');
  expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
  await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
});

it('offers to save unsaved changes of the file first, and asks again about what that changes', async () => {
  await stage.reset();
  const path = await stage.put('unsaved.txt');
  await neovim.command('edit unsaved.txt');
  await neovim.type('GAmine\x1b');
  await neovim.waitFor('sixmine');
  await expect
    .poll(async () => (await stage.call('checkDocumentDirty', { filePath: path })).join())
    .toContain('"isDirty":true');
  const { answer } = stage.propose(path);
  await neovim.waitFor('reviews=1 tabs=1/2');
  await neovim.command('Tandem review');
  await neovim.waitFor('tabs=2/2');
  await neovim.command('w');
  await neovim.waitFor(/\(S\)ave and accept/);
  await neovim.type('s');
  // They are on lines that the proposal also changes.
  await neovim.waitFor('(A)ccept and overwrite');
  expect(await readFile(path, 'utf8')).toBe(TEXT.replace('six', 'sixmine'));
  await neovim.type('a');
  expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
  await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
});
