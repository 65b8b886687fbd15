import type { CompanionStatus } from '@tandem/companion/control';
import { describe, expect, test } from 'vitest';
import { introduction } from '../src/introduction.js';
import { sharingLine, statusText, summaryLine } from '../src/statusText.js';

const agent = (id: string, displayName: string, sessions = 0) => ({
  id,
  displayName,
  url: 'http://127.0.0.1:1/mcp',
  takesMentions: false,
  discovery: [{ file: `/f/${id}` }],
  sessions: Array.from({ length: sessions }, (_, index) => ({
    id: String(index),
    client: { name: 'cli', version: '1\u001b' },
    connectedAt: 0,
    ...(index === 0 && { pid: 77 }),
  })),
});
const status = (changes: Partial<CompanionStatus> = {}): CompanionStatus => ({
  version: '1.0.0',
  pid: 42,
  startedAt: 0,
  editor: { name: 'tandem', displayName: 'Tandem', version: '1.0.0' },
  workspaceFolders: ['/w'],
  isTrusted: true,
  sharing: { isPaused: false },
  agents: [agent('gemini', 'Gemini CLI'), agent('claude', 'Claude Code')],
  reviews: [],
  interrupted: [],
  recording: [],
  ...changes,
});

describe('the status of a companion', () => {
  test('names its folders, its process, and every agent', () => {
    const lines = statusText(status({ workspaceFolders: ['/w', '/x\ny'], isTrusted: false }), '/w').split(
      '\n',
    );
    expect(lines[0]).toBe('Tandem 1.0.0  /w, /x␊y  (not trusted)  process 42');
    expect(lines.slice(2)).toEqual(['  Not connected: Gemini CLI, Claude Code']);
  });

  test('says what is recorded in each folder, and where the copies are', () => {
    const note = 'only files that hooks name: it has more than 100,000 files';
    const copies = { folder: '/s', bytes: 1, note: 'copies: 0.1 kB in /s' };
    const one = { folder: '/w', isWhole: false, note, copies };
    expect(statusText(status({ recording: [one] }), '/w')).toContain(
      `\n  Records ${note}  copies: 0.1 kB in /s`,
    );
    const other = { folder: '/x', isWhole: true, note: 'all files' };
    expect(statusText(status({ recording: [one, other] }), '/w')).toContain('\n  Records in /x: all files');
  });

  test('shows sessions with their client, and obeys no control characters', () => {
    const text = statusText(status({ agents: [agent('gemini', 'Gemini CLI', 1)] }), '/w');
    expect(text).toMatch(/Gemini CLI +connected since \d\d:\d\d:\d\d \(cli 1␛, process 77\)$/);
  });

  test('shows what an agent calls its conversation, on one line and not all of a long name', () => {
    const copilot = agent('copilot', 'Copilot CLI', 1);
    const named = (title: string) =>
      statusText(
        status({ agents: [{ ...copilot, sessions: copilot.sessions.map((each) => ({ ...each, title })) }] }),
        '/w',
      );
    expect(named('Fix the\nlogin')).toMatch(/Copilot CLI +"Fix the␊login", connected since/);
    expect(named('x'.repeat(500))).toMatch(/ "x{59}…", connected since/);
  });

  test('does not show a session as connected whose connection is lost', () => {
    const gemini = agent('gemini', 'Gemini CLI', 1);
    const lost = status({
      agents: [{ ...gemini, sessions: gemini.sessions.map((each) => ({ ...each, isAway: true })) }],
    });
    expect(statusText(lost, '/w')).toMatch(/Gemini CLI +connection lost, may reconnect \(cli/);
    expect(summaryLine(lost, '/w', 200)).toContain('agents: gemini (connection lost)');
  });

  test('shows when an agent last sent a message, not only that it is connected', () => {
    const statusAt = (lastMessageAt: number) => {
      const gemini = agent('gemini', 'Gemini CLI', 1);
      return status({
        agents: [{ ...gemini, sessions: gemini.sessions.map((each) => ({ ...each, lastMessageAt })) }],
      });
    };
    const minute = 60_000;
    const texts = [0, 2 * minute, 3 * 60 * minute, 49 * 60 * minute].map((now) =>
      statusText(statusAt(0), '/w', now),
    );
    expect(texts.map((text) => /, (last message [^(]*) \(/.exec(text)?.[1])).toEqual([
      'last message just now',
      'last message 2 min ago',
      'last message 3 h ago',
      'last message 2 d ago',
    ]);
    expect(summaryLine(statusAt(0), '/w', 80, 30_000)).toContain('agents: gemini ·');
    expect(summaryLine(statusAt(0), '/w', 80, 5 * minute)).toContain(
      'agents: gemini (last message 5 min ago) ·',
    );
  });

  test('says when an agent asked that has no lasting connection, with seconds', () => {
    const codex = agent('codex', 'Codex CLI', 1);
    const sessions = codex.sessions.map((each) => ({
      ...each,
      client: { name: 'codex-tui', version: '' },
      lastMessageAt: 0,
    }));
    const asked = status({ agents: [{ ...codex, polls: true, sessions }] });
    expect(statusText(asked, '/w', 12_000)).toMatch(
      /Codex CLI +last request 12 s ago \(codex-tui, process 77\)$/,
    );
    expect(statusText(asked, '/w', 130_000)).toContain('last request 2 min ago');
    expect(summaryLine(asked, '/w', 80, 12_000)).toContain('agents: codex (last request 12 s ago) ·');
  });

  test('names its page without the token', () => {
    const lines = statusText(status({ page: { url: 'http://127.0.0.1:5/' } }), '/w').split('\n');
    expect(lines.at(-1)).toMatch(
      /^ {2}Page {9}http:\/\/127\.0\.0\.1:5\/ {2}open it with: .*tandem page --open$/,
    );
  });

  test('reports why a discovery file could not be written', () => {
    const gemini = {
      ...agent('gemini', 'Gemini CLI'),
      discovery: [{ file: '/f', problem: '/f is a link.' }],
    };
    expect(statusText(status({ agents: [gemini] }), '/w')).toContain('\n    /f is a link.');
    expect(introduction(status({ agents: [gemini] }), [], {}, installed)).toContain('\n    /f is a link.');
  });

  test('prints what to type in agents that did not reconnect', () => {
    const lost = { count: 2, connect: '/ide enable' };
    const stands = status({ agents: [{ ...agent('gemini', 'Gemini CLI'), lost }] });
    expect(statusText(stands, '/w')).toContain(
      '2 sessions of Gemini CLI have not reconnected since the restart. If they still run, type /ide enable in them',
    );
    expect(summaryLine(stands, '/w', 100)).toContain('gemini has not reconnected: type /ide enable in it');
  });
});

describe('the line about sharing', () => {
  test('shows the file and the selection, or why nothing is shared', () => {
    const activeFile = { path: '/w/a.ts', label: 'a.ts', selectedCharacters: 1 };
    const heldBack = {
      path: '/w/a.ts',
      label: 'a.ts',
      agents: ['Gemini CLI'],
      isFromAll: false,
      reason: '.geminiignore excludes it',
    };
    expect(sharingLine({ isPaused: false, activeFile }, '/w')).toBe('Shared: a.ts, 1 character selected');
    expect(sharingLine({ isPaused: false, activeFile, heldBack }, '/w')).toBe(
      'Shared: a.ts, 1 character selected. Hidden from Gemini CLI: a.ts, because .geminiignore excludes it',
    );
    expect(sharingLine({ isPaused: false, heldBack: { ...heldBack, isFromAll: true } }, '/w')).toBe(
      'Hidden from all agents: a.ts, because .geminiignore excludes it',
    );
    expect(sharingLine({ isPaused: false }, '/w')).toContain('tandem focus FILE:LINE');
    expect(sharingLine({ isPaused: true }, '/w')).toContain('tandem share resume');
  });
});

describe('the status in one line', () => {
  test('counts agents and reviews', () => {
    const busy = status({ agents: [agent('gemini', 'Gemini CLI', 2), agent('claude', 'Claude Code', 1)] });
    expect(summaryLine(busy, '/w', 100)).toBe(
      'agents: gemini x2, claude · sharing no file yet · Ctrl+C ends',
    );
    expect(summaryLine(status(), '/w', 100)).toBe('no agent connected · sharing no file yet · Ctrl+C ends');
  });

  test('is cut to the terminal', () => {
    for (const columns of [0, 1, 10, 40])
      expect(summaryLine(status(), '/w', columns).length).toBeLessThanOrEqual(Math.max(1, columns));
  });
});

const installed = (program: string) => program;

describe('the first output of serve', () => {
  test('names the agents that are missing, and prints how to install them if none is there', () => {
    const text = introduction(status(), [], {}, (program) => (program === 'gemini' ? undefined : program));
    expect(text).toContain('  Not installed: Gemini CLI\n');
    expect(text).not.toContain('tandem run gemini');
    expect(text).toMatch(/tandem run claude +or claude /);
    const none = introduction(status(), [], {}, () => undefined);
    expect(none).toMatch(/Gemini CLI +npm install -g @google\/gemini-cli\n/);
    expect(none).not.toContain('tandem run');
  });

  test('prints how to connect each agent', () => {
    const text = introduction(status(), [], {}, installed);
    expect(text).toContain('tandem run gemini');
    expect(text).toContain('tandem run claude');
    expect(text).not.toContain('qwen');
  });

  test('prints the address of the page, how to reach it from another machine, or why there is none', () => {
    const address = 'http://127.0.0.1:5/#key=t';
    expect(introduction(status(), [], { address }, installed)).toContain(`in the browser:\n  ${address}\n\n`);
    const tunnel = 'ssh -L 5:127.0.0.1:5 host';
    expect(introduction(status(), [], { address, tunnel }, installed)).toContain(
      `  first, on your own machine: ${tunnel}\n`,
    );
    expect(introduction(status(), [], { problem: 'The page was not built.' }, installed)).toContain(
      '\nThe page was not built.\n',
    );
    expect(introduction(status(), [], {}, installed)).toMatch(/in the browser: .*tandem page\n/);
  });

  test('warns of a folder that agents cannot use, and of another companion', () => {
    const rival = { pid: 7, workspaceFolders: ['/w/sub'] };
    const text = introduction(status({ workspaceFolders: ['/w:x'] }), [rival], {}, installed);
    expect(text).toContain('cannot connect in /w:x');
    expect(text).toContain('tandem stop --companion 7');
  });
});
