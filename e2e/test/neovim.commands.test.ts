import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pick } from '../src/json.js';
import type { Neovim } from '../src/neovim/neovim.js';
import { KEPT_LINE, NeovimStage, PROPOSED, TEXT } from '../src/neovim/neovimStage.js';

let stage: NeovimStage;
let neovim: Neovim;

beforeAll(async () => {
  stage = await NeovimStage.create();
  neovim = stage.neovim;
});

afterAll(() => stage?.dispose());

describe('the user asks', () => {
  it('what is wrong, and :checkhealth finds a running companion with an agent', async () => {
    await stage.reset();
    await neovim.command('checkhealth tandem');
    await neovim.waitFor('The companion runs');
    await neovim.waitFor('Claude Code: 1 connected');
    await neovim.command('bwipeout');
  });

  it('who is connected, and gets the same in the status line', async () => {
    await stage.reset();
    await neovim.command('Tandem status');
    await neovim.waitFor(/Claude Code +connected since/);
    await neovim.command('bwipeout!');
    expect(await neovim.lua('{ require("tandem").statusline() }')).toEqual(['Tandem: 1 agent']);
  });

  it('for subcommands and agents, which are completed', async () => {
    expect(await neovim.lua('vim.fn.getcompletion("Tandem rej", "cmdline")')).toEqual([
      'reject',
      'reject-session',
    ]);
    expect(await neovim.lua('vim.fn.getcompletion("Tandem run cl", "cmdline")')).toEqual(['claude']);
    expect(await neovim.lua('vim.fn.getcompletion("Tandem undo fir", "cmdline")')).toEqual(['first.txt']);
  });
});

describe('the user runs', () => {
  it(':Tandem! changes and :Tandem undo of a file', async () => {
    await stage.reset();
    const { path, answer } = await stage.pending();
    await neovim.waitFor('reviews=1');
    await neovim.command('Tandem accept');
    await answer;
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
    await stage.put(basename(path), `${PROPOSED}\nby the user\n`);
    await neovim.command('Tandem changes');
    await neovim.waitFor('No changes wait for you');
    await neovim.command('Tandem! changes');
    await neovim.waitFor(new RegExp(`${basename(path)}\\|1\\| \\+\\d+ -\\d+: review \\d+, accepted`));
    await neovim.waitFor('The file also has changes that no accepted review made');
    await neovim.command('cclose');
    await stage.put(basename(path), PROPOSED);
    await neovim.command(`Tandem undo ${basename(path)}`);
    await neovim.waitFor('is back to its earlier text');
    expect(await readFile(path, 'utf8')).toBe(TEXT);
  });

  it.each(['typo.txt', 'restor*.md', 'deleted.txt'])(
    ':Tandem undo %s, which undoes nothing in another file',
    async (name) => {
      await stage.reset();
      const current = await stage.put('restored.md');
      await neovim.command('edit restored.md');
      const { answer } = stage.propose(current);
      await neovim.waitFor('reviews=1');
      await neovim.command('Tandem accept');
      await answer;
      await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
      await stage.put('restored.md', PROPOSED);
      await neovim.waitFor('FIVE');
      await neovim.command(`Tandem undo ${name}`);
      await neovim.waitFor(/no change/);
      await neovim.type('\r');
      expect(await readFile(current, 'utf8')).toBe(PROPOSED);
    },
  );

  it(':Tandem pause and :Tandem resume, which the status line shows', async () => {
    await stage.reset();
    const statusLine = () => neovim.lua('{ require("tandem").statusline() }');
    await neovim.command('Tandem pause');
    await neovim.waitFor('Sharing is paused');
    await expect.poll(statusLine).toEqual(['Tandem: 1 agent, paused']);
    expect((await stage.call('getOpenEditors')).join()).not.toContain('first.txt');
    await neovim.command('Tandem resume');
    await neovim.waitFor('Sharing is resumed');
    await expect.poll(statusLine).toEqual(['Tandem: 1 agent']);
    expect((await stage.call('getOpenEditors')).join()).toContain('first.txt');
    const { withdraw } = await stage.pending();
    await expect.poll(statusLine).toEqual(['Tandem: 1 review, 1 agent']);
    await withdraw();
    await expect.poll(statusLine).toEqual(['Tandem: 1 agent']);
  });

  it(':Tandem doctor', async () => {
    await stage.reset();
    await neovim.command('Tandem doctor');
    await neovim.waitFor(/Neovim .* serves .*\/workspace/);
    await neovim.command('bwipeout!');
  });

  it(':Tandem feedback, which leaves the review pending', async () => {
    await stage.reviewing();
    await neovim.command('Tandem feedback keep the old name');
    await expect
      .poll(() => neovim.lua('{ vim.fn.getreg([["]]) }'))
      .toEqual([expect.stringContaining('keep the old name')]);
    await neovim.waitFor('reviews=1 tabs=2/2 decided=>');
  });
});

describe('mappings', () => {
  const press = (name: string, before = '') =>
    neovim.lua(`vim.api.nvim_input("${before}<Plug>(tandem-${name})")`);

  const waitUntilGone = (text: string) => neovim.terminal.waitFor((screen) => !screen.includes(text), 10_000);

  it('go to reviews and decide them', async () => {
    await stage.reset();
    const first = await stage.pending();
    await neovim.waitFor('reviews=1 tabs=1/2');
    const second = await stage.pending();
    await neovim.waitFor('reviews=2 tabs=1/3');
    await press('next');
    await neovim.waitFor('tabs=2/3');
    await press('prev');
    await neovim.waitFor('tabs=3/3');
    await press('list');
    await neovim.waitFor('[Quickfix List]');
    await neovim.command('cclose');
    await waitUntilGone('[Quickfix List]');
    for (const decision of ['accept', 'reject']) {
      await press(`${decision}-session`);
      await neovim.waitFor(new RegExp(`${decision} 2 proposals by Claude Code`, 'i'));
      await neovim.type('c');
      // Neovim drops what is typed before it has closed the question.
      await waitUntilGone('[C]ancel');
    }
    await press('accept');
    expect(await second.answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=1 tabs=2/2 decided=a>');
    await neovim.command('tabfirst');
    await neovim.waitFor('tabs=1/2');
    await press('review');
    await neovim.waitFor('tabs=2/2');
    await stage.put(basename(first.path), TEXT.replace('two', '2'));
    await neovim.waitFor('conflict: :Tandem merge');
    await press('merge');
    await neovim.waitFor('<<<<<<<');
    await press('reject');
    expect((await first.answer)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=ar');
  });

  it('comment on a line and on selected lines', async () => {
    await stage.reviewing();
    for (const [keys, words] of [
      ['', 'why here?'],
      ['Vj', 'why there?'],
    ] as const) {
      await press('comment', keys);
      await neovim.waitFor('Comment:');
      await neovim.type(`${words}\r`);
      await neovim.waitFor(`┃ ${words}`);
    }
  });

  it('mention a file and the selected lines', async () => {
    await stage.reset();
    const mention = async () => pick(await stage.agent.next('at_mentioned'), 'params');
    await press('mention');
    await neovim.waitFor('Mentioned to 1 agent');
    expect(await mention()).toEqual({ filePath: stage.path('first.txt') });
    await press('mention', 'Vj');
    expect(await mention()).toEqual({ filePath: stage.path('first.txt'), lineStart: 2, lineEnd: 3 });
  });
});

describe('autocommands', () => {
  it('are fired for each event of a review, with their data', async () => {
    await stage.reset();
    await neovim.lua('(function() events = {} return true end)()');
    const { path, answer } = await stage.pending();
    const status = (pending: number) => ({
      name: 'TandemStatusChanged',
      data: expect.objectContaining({
        agents: expect.any(Array),
        isPaused: false,
        pending,
        interrupted: expect.any(Number),
      }),
    });
    const events = expect.poll(() => neovim.lua('events'));
    await events.toContainEqual(status(1));
    await neovim.command('Tandem accept');
    await answer;
    await events.toEqual(
      expect.arrayContaining([
        { name: 'TandemReviewOpened', data: { id: expect.any(String), path, agent: 'claude' } },
        { name: 'TandemSessionsChanged', data: { sessions: expect.any(Array) } },
        { name: 'TandemReviewDecided', data: { id: expect.any(String), path, outcome: 'accepted' } },
        status(0),
      ]),
    );
  });
});

describe('Tandem ends', () => {
  it('is restarted when it was killed, and offers the edited text again', async () => {
    const { path } = await stage.reviewing();
    await neovim.type('2GA typed\x1b');
    await neovim.waitFor('TWO typed');
    const pid = Number(pick(await neovim.lua('require("tandem.client").tandem'), 'pid'));
    process.kill(pid, 'SIGKILL');
    await expect
      .poll(async () => Number(pick(await neovim.lua('require("tandem.client").tandem'), 'pid')), {
        timeout: 10_000,
      })
      .not.toBe(pid);
    await neovim.waitFor(' running ');
    // The journal may lack the text of the last second: the buffer keeps it.
    await neovim.waitFor('reviews=0 tabs=1/1');
    await expect.poll(() => neovim.lua(KEPT_LINE)).toEqual(['TWO typed']);
    await neovim.command('bwipeout! tandem://kept');
    await neovim.applyInterrupted(path);
    expect(await readFile(path, 'utf8')).toMatch(/TWO/);
  });

  it('starts again when :Tandem start follows :Tandem stop at once', async () => {
    await stage.reset();
    const pid = async () => Number(pick(await neovim.lua('require("tandem.client").tandem'), 'pid'));
    const before = await pid();
    await neovim.lua('(function() events = {} return true end)()');
    await neovim.lua('{ vim.cmd("Tandem stop"), vim.cmd("Tandem start") }');
    await expect.poll(pid).not.toBe(before);
    await neovim.waitFor(' running ');
    expect(await neovim.lua('vim.tbl_map(function(event) return event.name end, events)')).toEqual(
      expect.arrayContaining(['TandemStopped', 'TandemStarted']),
    );
  });

  it('keeps what is typed while it is stopped', async () => {
    await stage.reconnect();
    await stage.reviewing();
    await neovim.command('Tandem stop');
    await neovim.waitFor(' stopped ');
    await neovim.type('2GA, mine\x1b:qa\r');
    await neovim.waitFor('No write since last change');
    await neovim.type('\r');
    await neovim.command('w mine.txt');
    await neovim.waitFor('mine.txt is written');
    expect(await readFile(stage.path('mine.txt'), 'utf8')).toBe(PROPOSED.replace('TWO', 'TWO, mine'));
    await neovim.command('Tandem start');
    await neovim.waitFor('running reviews=0');
    await expect.poll(() => neovim.lua(KEPT_LINE)).toEqual(['TWO, mine']);
  });
});
