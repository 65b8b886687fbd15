import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ClaudeClient } from '../../packages/agents/test/support/claudeClient.js';
import { pick, pickList, pickText } from '../src/json.js';
import { Neovim } from '../src/neovim/neovim.js';
import { Sandbox } from '../src/sandbox.js';

const TEXT = 'one\ntwo\nthree\nfour\nfive\nsix\n';
const PROPOSED = 'one\nTWO\nthree\nfour\nFIVE\nsix\n';

let sandbox: Sandbox;
let workspace: string;
let neovim: Neovim;
let agent: ClaudeClient;
let files = 0;
let resets = 0;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  workspace = await sandbox.folder('workspace');
  const first = await put('first.txt');
  neovim = await Neovim.start(sandbox, workspace, { args: [first] });
  agent = await connect();
});

afterAll(async () => {
  await agent?.close();
  await neovim?.dispose();
  await sandbox?.dispose();
});

/** An agent like Claude Code, with the environment of Neovim's terminals. */
async function connect(): Promise<ClaudeClient> {
  // Only Claude Code reads numbers as 0.4e5.
  const port = Number(pickText(await neovim.lua('{ port = vim.env.CLAUDE_CODE_SSE_PORT }'), 'port'));
  const lock: unknown = JSON.parse(await readFile(`${sandbox.home}/.claude/ide/${port}.lock`, 'utf8'));
  return ClaudeClient.connect({ url: `ws://127.0.0.1:${port}`, token: pickText(lock, 'authToken') });
}

function put(name: string, text: string | Buffer = TEXT): Promise<string> {
  return sandbox.write(`${workspace}/${name}`, text);
}

/** Proposes a change; `answer` is what the agent receives. It is withdrawn with the test. */
function propose(path: string, content: string) {
  const call = agent.beginOpenDiff(path, content);
  const withdraw = () => agent.call('close_tab', { tab_name: `✻ [Claude Code] ${path} (a1b2c3) ⧉` });
  onTestFinished(async () => {
    if (agent.socket.readyState === agent.socket.OPEN) await withdraw();
  });
  const answer = agent
    .answer(call)
    .then(({ result }) => pickList(result, 'content').map((part) => pick(part, 'text')));
  answer.catch(() => {});
  return { answer, withdraw };
}

/** A pending proposal for a file of its own. */
async function pending(text: string | Buffer = TEXT, name = `file${++files}.txt`) {
  const path = await put(name, text);
  return { path, ...propose(path, PROPOSED) };
}

/** Back to one window with one file, in Normal mode. */
async function reset(): Promise<void> {
  await neovim.type('\x1c\x0e');
  await neovim.command('silent! fclose!');
  await neovim.command(
    'silent! tabonly! | silent! only! | silent! set nowinfixbuf hidden | edit! first.txt | 3',
  );
  resets += 1;
  await neovim.command(`let g:decided = "" | let g:test = ${resets} | redrawstatus`);
  await neovim.waitFor(`test=${resets} running reviews=0 tabs=1/1`);
}

/** Makes a proposal and goes to it. */
async function reviewing(text?: string) {
  await reset();
  const proposal = await pending(text);
  await neovim.waitFor('reviews=1 tabs=1/2');
  await neovim.command('Tandem review');
  await neovim.waitFor('tabs=2/2');
  return proposal;
}

it.each([
  ['colors.lua', 'parser lua'],
  ['colors.ts', 'typescript'],
])('highlights both sides of %s as its language, and attaches no plugin', async (name, language) => {
  await reset();
  await pending(TEXT, name);
  await neovim.waitFor('reviews=1 tabs=1/2');
  await expect.poll(() => neovim.lua('languages()')).toEqual([language, language]);
  expect(await neovim.lua('vim.bo[require("tandem.reviews").all[1].right].filetype')).toBe('');
});

describe('a review opens in the background and leaves the user alone', () => {
  const states: readonly {
    readonly name: string;
    /** Keys to get there. */
    readonly keys: string;
    readonly mode: string;
    /** It opens when the user leaves this state. */
    readonly waits?: boolean;
    /** Keys to go on, and what the buffer then has in its lines. */
    readonly rest?: string;
    readonly lines?: readonly string[];
  }[] = [
    {
      name: 'in Normal mode',
      keys: '',
      mode: 'n',
      rest: 'x',
      lines: ['one', 'two', 'hree', 'four', 'five', 'six'],
    },
    {
      name: 'in Insert mode, and the text stays one change',
      keys: 'iab',
      mode: 'i',
      rest: 'cd\x1b.u',
      lines: ['one', 'two', 'abcdthree', 'four', 'five', 'six'],
    },
    {
      name: 'in Replace mode',
      keys: 'RT',
      mode: 'R',
      rest: 'H\x1b',
      lines: ['one', 'two', 'THree', 'four', 'five', 'six'],
    },
    {
      name: 'in Visual mode',
      keys: 'vj',
      mode: 'v',
      waits: true,
      rest: 'd',
      lines: ['one', 'two', 'our', 'five', 'six'],
    },
    {
      name: 'in Visual line mode',
      keys: 'Vj',
      mode: 'V',
      waits: true,
      rest: 'd',
      lines: ['one', 'two', 'five', 'six'],
    },
    {
      name: 'before a motion',
      keys: 'd',
      mode: 'no',
      waits: true,
      rest: 'd',
      lines: ['one', 'two', 'four', 'five', 'six'],
    },
    {
      name: 'on the command line',
      keys: ':s/three/3',
      mode: 'c',
      waits: true,
      rest: '3\r',
      lines: ['one', 'two', '33', 'four', 'five', 'six'],
    },
    {
      name: 'in the command-line window',
      keys: 'q:is/three/3',
      mode: 'i',
      waits: true,
      rest: '\r',
      lines: ['one', 'two', '3', 'four', 'five', 'six'],
    },
    {
      name: 'at the completion menu',
      keys: 'oT\x0e',
      mode: 'ic',
      waits: true,
      rest: '\x0e\x1b',
    },
  ];

  it.each(states)('$name', async ({ keys, mode, waits = false, rest = '', lines }) => {
    await reset();
    await neovim.type(keys);
    await expect.poll(async () => pick(await neovim.situation(), 'mode')).toBe(mode);
    const before = await neovim.situation();
    const { withdraw } = await pending();
    await expect.poll(() => neovim.lua('{ #require("tandem.reviews").all }')).toEqual([1]);
    await expect.poll(() => neovim.lua('{ #vim.api.nvim_list_tabpages() }')).toEqual([waits ? 1 : 2]);
    expect(await neovim.situation()).toEqual(before);
    await neovim.type(rest);
    await neovim.waitFor('tabs=1/2');
    const text = () => neovim.lua('vim.api.nvim_buf_get_lines(0, 0, -1, false)');
    if (lines) await expect.poll(text).toEqual(lines);
    await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1');
  });

  const layouts: readonly { readonly name: string; readonly keys: string; readonly mode?: string }[] = [
    { name: 'with only a terminal, in Terminal mode', keys: ':terminal cat\r:only\ri', mode: 't' },
    { name: 'with only a terminal, in Normal mode', keys: ':terminal cat\r:only\r', mode: 'nt' },
    { name: 'with only a list that keeps its window', keys: ':help\r:only\r:setlocal winfixbuf\r' },
    { name: 'with only a file explorer', keys: ':Explore\r:only\r' },
    { name: "with unsaved changes and 'nohidden'", keys: ':set nohidden\rx' },
    { name: 'with several windows', keys: ':vsplit\r:split\r:wincmd l\r' },
    { name: 'in a window of one line', keys: ':split\r:resize 1\r' },
    {
      name: 'with a floating window',
      keys: ':call nvim_open_win(0,1,#{relative:"editor",row:1,col:1,width:9,height:3})\r',
    },
  ];

  it.each(layouts)('$name', async ({ keys, mode = 'n' }) => {
    await reset();
    await neovim.type(keys);
    await expect.poll(async () => pick(await neovim.situation(), 'mode')).toBe(mode);
    const before = await neovim.situation();
    const { withdraw } = await pending();
    await neovim.waitFor('reviews=1 tabs=1/2');
    // A terminal's text moves with the size of its window, which the line of tab pages takes one from.
    const unlike = mode === 'n' ? {} : { cursor: expect.anything(), anchor: expect.anything() };
    expect(await neovim.situation()).toEqual(Object.assign({}, before, unlike));
    await neovim.type('\x1c\x0e');
    await neovim.command('2tabnext');
    await neovim.waitFor('FIVE');
    expect(await neovim.lua('vim.wo.diff and { vim.wo.number, #vim.api.nvim_tabpage_list_wins(0) }')).toEqual(
      [false, 2],
    );
    await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1');
    expect(pick(await neovim.situation(), 'layout')).toEqual(pick(before, 'layout'));
  });
});

describe('the user decides in the diff', () => {
  it('accepts with :w', async () => {
    const { answer } = await reviewing();
    await neovim.command('w');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('drops a hunk with do, brings it back with u and drops another with dp', async () => {
    const { answer } = await reviewing();
    await neovim.type('2Gdou');
    await neovim.type('\x17h5Gdp');
    await neovim.command('Tandem accept');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED.replace('FIVE', 'five')]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('corrects the text, in Insert mode until the agent gets it', async () => {
    const { answer } = await reviewing();
    await neovim.type('2GA, 文 🦋\rnew\x1b:wq\r');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED.replace('TWO', 'TWO, 文 🦋\nnew')]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('accepts nothing with :wall and :x', async () => {
    const { answer } = await reviewing();
    await neovim.type('2GA!\x1b:wall\r');
    await neovim.type('ia\x1b:x\r');
    await neovim.waitFor('reviews=1 tabs=1/1 decided=>');
    await neovim.command('Tandem reject');
    expect((await answer)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=r');
  });

  it('closes the view, which decides nothing, and opens it again with the edited text', async () => {
    const { answer } = await reviewing();
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
    await reset();
    const first = await pending();
    await neovim.waitFor('reviews=1 tabs=1/2');
    const second = await pending();
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
    const first = await reviewing();
    await neovim.type('2GA!\x1b:tabfirst\r');
    const second = await pending();
    await neovim.waitFor('reviews=2 tabs=1/3');
    await neovim.command('Tandem accept-session');
    await neovim.waitFor(/Accept 2 proposals by Claude Code: .*\n.*With your edits: /);
    await neovim.type('a');
    expect(await first.answer).toEqual(['FILE_SAVED', PROPOSED.replace('TWO', 'TWO!')]);
    expect(await second.answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=aa');
  });

  it('rejects what it did not edit of a session, or nothing', async () => {
    const first = await reviewing();
    await neovim.type('2GA!\x1b:tabfirst\r');
    const second = await pending();
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
    const { path, withdraw } = await reviewing();
    await neovim.type('2GA, mi');
    await neovim.waitFor('TWO, mi');
    await withdraw();
    await neovim.waitFor('no longer proposed');
    await neovim.type('ne\x1b');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
    await neovim.waitFor('your edits of');
    await neovim.showInterrupted(path);
    await neovim.waitFor('TWO, mine');
    await neovim.command('tabclose');
    await neovim.applyInterrupted(path);
    expect(await readFile(path, 'utf8')).toBe(PROPOSED.replace('TWO', 'TWO, mine'));
  });

  it('comments on lines, which are shown below them', async () => {
    const { withdraw } = await reviewing();
    await neovim.command('2,3Tandem comment Why capitals?');
    await neovim.waitFor('┃ Why capitals?');
    await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
  });
});

describe('files', () => {
  it('accepts a proposal for a file that is not text, which a note replaces', async () => {
    await reset();
    const { answer } = await pending(Buffer.from([0, 159, 146, 150]), 'picture.bin');
    await neovim.waitFor('reviews=1 tabs=1/2');
    await neovim.command('Tandem review');
    await neovim.waitFor('not UTF-8 text (4 bytes)');
    await neovim.command('w');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1');
  });

  it('merges a later change of the file, and accepts a conflict only when it is merged or overridden', async () => {
    const { path, answer } = await reviewing();
    await neovim.type('5GA!\x1b');
    await put(basename(path), TEXT.replace('two', '2').replace('five', '5'));
    await neovim.waitFor('conflict: :Tandem merge');
    await neovim.command('w');
    await neovim.waitFor('changed on disk, on lines');
    await neovim.type('\r');
    await neovim.command('Tandem merge');
    await neovim.waitFor('<<<<<<<');
    await neovim.command('Tandem accept');
    await neovim.waitFor('conflict markers');
    await neovim.type('\r');
    await neovim.command('g/^=======/,/^>>>>>>>/d');
    await neovim.command('g/^<<<<<<</d');
    await neovim.command('w');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED.replace('FIVE', 'FIVE!')]);
    await neovim.waitFor('reviews=0 tabs=1/1');
  });

  it('reloads a file that the agent has written', async () => {
    await reset();
    const { path, answer } = await pending();
    await neovim.waitFor('reviews=1');
    await neovim.command(`edit ${path} | Tandem accept`);
    await answer;
    await neovim.waitFor('reviews=0');
    await put(basename(path), PROPOSED);
    await neovim.waitFor('FIVE');
  });

  it('keeps unsaved changes when the agent has written the file, and compares both', async () => {
    await reset();
    const { path, answer } = await pending();
    await neovim.waitFor('reviews=1');
    await neovim.command(`edit ${path} | Tandem accept`);
    await neovim.type('Omine\x1b');
    await answer;
    await put(basename(path), PROPOSED);
    await neovim.waitFor('reviews=0 tabs=1/2');
    await neovim.command('tabnext');
    await neovim.waitFor('your unsaved changes');
    expect(neovim.terminal.screen()).toMatch(/one .*mine|mine/);
    expect(neovim.terminal.screen()).toContain('FIVE');
    await put(basename(path), `${PROPOSED}seven\n`);
    await neovim.waitFor('seven');
    await neovim.waitFor('tabs=2/2');
    await neovim.command('tabclose');
  });
});

describe('the user asks', () => {
  it('what is wrong, and :checkhealth finds a running companion with an agent', async () => {
    await reset();
    await neovim.command('checkhealth tandem');
    await neovim.waitFor('The companion runs');
    await neovim.waitFor('Claude Code: 1 connected');
    await neovim.command('bwipeout');
  });

  it('who is connected, and gets the same in the status line', async () => {
    await reset();
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
    expect(await neovim.lua('vim.fn.getcompletion("Tandem restore fir", "cmdline")')).toEqual(['first.txt']);
  });
});

describe('Tandem ends', () => {
  it('is restarted when it was killed, and offers the edited text again', async () => {
    const { path } = await reviewing();
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
    const kept = 'vim.fn.getbufline(vim.fn.bufnr("tandem://kept"), 2)';
    await expect.poll(() => neovim.lua(kept)).toEqual(['TWO typed']);
    await neovim.applyInterrupted(path);
    expect(await readFile(path, 'utf8')).toMatch(/TWO/);
  });
});
