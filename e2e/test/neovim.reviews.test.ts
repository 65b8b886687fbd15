import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Neovim } from '../src/neovim/neovim.js';
import { KEPT_LINE, NeovimStage, PROPOSED, TEXT } from '../src/neovim/neovimStage.js';

let stage: NeovimStage;
let neovim: Neovim;

beforeAll(async () => {
  stage = await NeovimStage.create();
  neovim = stage.neovim;
});

afterAll(() => stage?.dispose());

describe('the user decides in the diff', () => {
  it('accepts with :w', async () => {
    const { answer } = await stage.reviewing();
    await neovim.command('w');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('drops a hunk with do, brings it back with u and drops another with dp', async () => {
    const { answer } = await stage.reviewing();
    await neovim.type('2Gdou');
    await neovim.type('\x17h5Gdp');
    await neovim.command('Tandem accept');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED.replace('FIVE', 'five')]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('corrects the text, in Insert mode until the agent gets it', async () => {
    const { answer } = await stage.reviewing();
    await neovim.type('2GA, 文 🦋\rnew\x1b:wq\r');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED.replace('TWO', 'TWO, 文 🦋\nnew')]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('accepts nothing with :wall and :x', async () => {
    const { answer } = await stage.reviewing();
    await neovim.type('2GA!\x1b:wall\r');
    await neovim.type('ia\x1b:x\r');
    await neovim.waitFor('reviews=1 tabs=1/1 decided=>');
    await neovim.command('Tandem reject');
    expect((await answer)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=r');
  });

  it('closes the view, which decides nothing, and opens it again with the edited text', async () => {
    const { answer } = await stage.reviewing();
    await neovim.type('2GA!\x1b:tabclose\r');
    await neovim.waitFor('reviews=1 tabs=1/1');
    await neovim.command('Tandem');
    await neovim.waitFor('TWO!');
    await neovim.command('bdelete');
    await neovim.waitFor('reviews=1 tabs=1/1');
    await neovim.command('Tandem');
    await neovim.waitFor('TWO!');
    await neovim.type('2GA?\x1b:w\r');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED.replace('TWO', 'TWO!?')]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('goes from review to review, also of one file, and rejects one with a text', async () => {
    await stage.reset();
    const first = await stage.pending();
    await neovim.waitFor('reviews=1 tabs=1/2');
    const second = await stage.pending();
    await neovim.waitFor('reviews=2 tabs=1/3');
    await neovim.command('Tandem next');
    await neovim.waitFor('tabs=2/3');
    await neovim.command('Tandem next');
    await neovim.waitFor('tabs=3/3');
    await neovim.command('Tandem reject keep the old name');
    expect((await second.answer)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=1 tabs=2/2');
    await neovim.command('tabfirst | Tandem list');
    await neovim.waitFor('[Quickfix List]');
    await neovim.type('\r');
    await neovim.waitFor('tabs=2/2');
    await neovim.command('Tandem accept');
    expect(await first.answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=ra');
  });

  it('accepts a whole session, with the edits that the question names', async () => {
    const first = await stage.reviewing();
    await neovim.type('2GA!\x1b:tabfirst\r');
    const second = await stage.pending();
    await neovim.waitFor('reviews=2 tabs=1/3');
    await neovim.command('Tandem accept-session');
    await neovim.waitFor(/Accept 2 proposals by Claude Code: .*\n.*With your edits: /);
    await neovim.type('a');
    expect(await first.answer).toEqual(['FILE_SAVED', PROPOSED.replace('TWO', 'TWO!')]);
    expect(await second.answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=aa');
  });

  it('rejects what it did not edit of a session, or nothing', async () => {
    const first = await stage.reviewing();
    await neovim.type('2GA!\x1b:tabfirst\r');
    const second = await stage.pending();
    await neovim.waitFor('reviews=2 tabs=1/3');
    await neovim.command('Tandem accept-session');
    await neovim.waitFor('(A)ccept, (C)ancel');
    await neovim.type('c');
    // Neovim drops what is typed before it has closed the question.
    await neovim.situation();
    await neovim.command('Tandem reject-session');
    await neovim.waitFor('(O)nly the unedited');
    await neovim.type('o');
    expect((await second.answer)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=1 tabs=1/2 decided=r>');
    await first.withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1 decided=rw');
  });

  it('goes on typing in a review that is withdrawn, and finds the text in the interrupted one', async () => {
    const { path, withdraw } = await stage.reviewing();
    await neovim.type('2GA, mi');
    await neovim.waitFor('TWO, mi');
    await withdraw();
    await neovim.waitFor('no longer proposed');
    // The pause after which text is sent is over, too.
    await expect
      .poll(() => neovim.lua('{ require("tandem.reviews").all[1].timer:is_active() }'))
      .toEqual([false]);
    await neovim.type('ne\x1b');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
    await neovim.waitFor('your edits to');
    await neovim.showInterrupted(path);
    await neovim.waitFor('TWO, mine');
    await neovim.command('tabclose');
    await neovim.applyInterrupted(path);
    expect(await readFile(path, 'utf8')).toBe(PROPOSED.replace('TWO', 'TWO, mine'));
  });

  it('closes a review that was withdrawn in Insert mode when a click leaves it', async () => {
    const { path, withdraw } = await stage.reviewing();
    await neovim.type('2GA, mine');
    await neovim.waitFor('TWO, mine');
    await withdraw();
    await neovim.waitFor('no longer proposed');
    await neovim.lua('{ vim.api.nvim_input_mouse("left", "press", "", 0, 8, 5) }');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
    await neovim.showInterrupted(path);
    await neovim.waitFor('TWO, mine');
  });

  it('keeps what is typed after the decision in a buffer', async () => {
    const { answer } = await stage.reviewing();
    // In one step, so that Tandem answers later.
    await neovim.lua('{ vim.cmd("write"), vim.cmd("2 | normal! A, late") }');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
    await expect.poll(() => neovim.lua(KEPT_LINE)).toEqual(['TWO, late']);
    await neovim.command('bwipeout! tandem://kept');
  });

  it('accepts the empty text when all lines are deleted', async () => {
    const { answer } = await stage.reviewing();
    await neovim.command('%d | w');
    expect(await answer).toEqual(['FILE_SAVED', '']);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('writes copies to other files, which decides nothing', async () => {
    const { answer } = await stage.reviewing();
    const edited = PROPOSED.replace('TWO', 'TWO!');
    const read = (name: string) => readFile(stage.path(name), 'utf8').catch(() => '');
    await neovim.type('2GA!\x1b');
    await neovim.command('w copy.txt');
    await neovim.waitFor('copy.txt is written; the review stays pending');
    await neovim.command('w >> copy.txt');
    await neovim.command('2,3w part.txt');
    await expect.poll(() => read('part.txt')).toBe('TWO!\nthree\n');
    expect(await read('copy.txt')).toBe(edited + edited);
    await neovim.waitFor('reviews=1 tabs=2/2 decided=>');
    await neovim.command('w');
    expect(await answer).toEqual(['FILE_SAVED', edited]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('opens a deleted view with later changes of the file, and accepts what is typed there', async () => {
    const { path, answer } = await stage.reviewing();
    await neovim.command('bdelete');
    await neovim.waitFor('reviews=1 tabs=1/1');
    await stage.put(basename(path), `${TEXT}seven\n`);
    await expect.poll(() => neovim.lua('require("tandem.reviews").all[1].shown.file')).toBe('merged');
    await neovim.command('Tandem');
    await neovim.waitFor('seven');
    await neovim.type('2GA!\x1b:w\r');
    expect(await answer).toEqual(['FILE_SAVED', `${PROPOSED.replace('TWO', 'TWO!')}seven\n`]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('comments on lines, which are shown below them', async () => {
    const { withdraw } = await stage.reviewing();
    await neovim.command('2,3Tandem comment Why capitals?');
    await neovim.waitFor('┃ Why capitals?');
    await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
  });
});

describe("the option 'on_close'", () => {
  const set = (value: string) => neovim.command(`lua require("tandem.config").current.on_close = "${value}"`);

  afterEach(() => set('keep'));

  it('rejects a review whose view is closed', async () => {
    await set('reject');
    const { answer } = await stage.reviewing();
    await neovim.command('tabclose');
    expect((await answer)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=r');
  });

  it('asks about a review whose view is closed', async () => {
    await set('ask');
    const { answer } = await stage.reviewing();
    await neovim.command('tabclose');
    await neovim.waitFor('2: Reject it');
    await neovim.type('1\r');
    await neovim.waitFor('reviews=1 tabs=1/1 decided=>');
    await neovim.command('Tandem');
    await neovim.waitFor('tabs=2/2');
    await neovim.command('tabclose');
    await neovim.waitFor('2: Reject it');
    await neovim.type('2\r');
    expect((await answer)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=r');
  });
});
