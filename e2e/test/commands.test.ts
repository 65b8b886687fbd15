import { mkdtempSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeMatrix } from '../../test/describeMatrix.js';
import { useAgentGroup } from '../src/agentGroup.js';
import { claude } from '../src/agents/claude.js';
import { codex } from '../src/agents/codex.js';
import { copilot } from '../src/agents/copilot.js';
import { gemini } from '../src/agents/gemini.js';
import { kilo, opencode } from '../src/agents/opencode.js';
import { pi } from '../src/agents/pi.js';
import { qwen } from '../src/agents/qwen.js';
import { pick, pickList, pickText } from '../src/json.js';
import { call } from '../src/model/turn.js';
import type { Stage } from '../src/stage.js';
import { installOnPath, throughTandem } from '../src/throughTandem.js';

const BEFORE = { 'a.txt': 'one\r\ntwo\nthree', 'b.txt': '\uFEFFtwo\n', 'edited.txt': 'one\ntwo\n' };

/** What is recorded of each file: how, as what evidence, in which turn. */
async function recorded({ tandem }: Stage): Promise<Record<string, readonly object[]>> {
  const { json } = await tandem.run('changes', '--all', '--json');
  return Object.fromEntries(
    pickList(json).map((file) => {
      const entries = pickList(file, 'entries').map((entry) => ({
        how: pick(entry, 'how'),
        evidence: pick(entry, 'evidence'),
        turn: pick(entry, 'turn'),
      }));
      return [basename(pickText(file, 'path')), entries] as const;
    }),
  );
}

describe.each([
  ['after', { how: 'written', evidence: expect.stringMatching(/^Claude Code changed this .*Edit/) }],
  ['before', { how: 'accepted', evidence: undefined }],
] as const)('Claude Code with the hooks of the mode %s', (mode, ofEdit) => {
  const flags = ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'];
  const group = useAgentGroup(claude, {
    before: ({ sandbox }) => installOnPath(claude, sandbox),
    start: () => throughTandem(claude, flags, mode === 'before' ? [] : ['--hooks', mode]),
  });

  it('has what its commands and its edits write recorded once each, and the turn undone byte by byte', async () => {
    const { stage, running } = group.current;
    for (const [name, text] of Object.entries(BEFORE)) await stage.put(name, text);
    const sed = 'sed -i s/two/TWO/ a.txt b.txt';
    const failing = 'echo new > new.txt; exit 3';
    await running.propose([
      call('Bash', { command: sed, description: 'Replace' }),
      call('Bash', { command: failing, description: 'Fail' }),
      ...claude.replaceText(stage.path('edited.txt'), 'two', 'TWO'),
    ]);
    if (mode === 'before') await stage.tandem.accept(await stage.tandem.nextReview());
    await running.waitUntilDone();
    for (const [name, text] of Object.entries(BEFORE)) {
      expect(await stage.read(name)).toBe(text.replace('two', 'TWO'));
    }
    const turn = { number: 1, prompt: 'please make edit 1' };
    const by = (command: string) => [{ how: 'written', evidence: expect.stringContaining(command), turn }];
    expect(await recorded(stage)).toEqual({
      'a.txt': by(sed),
      'b.txt': by(sed),
      'new.txt': by(failing),
      'edited.txt': [{ ...ofEdit, turn }],
    });
    const { json } = await stage.tandem.run('changes', '--json');
    await stage.tandem.run('restore', '--session', pickText(json, 0, 'entries', 0, 'session'), '--turn', '1');
    for (const [name, text] of Object.entries(BEFORE)) expect(await stage.read(name)).toBe(text);
    await expect(stage.read('new.txt')).rejects.toThrow('ENOENT');
  });
});

/** Gemini CLI takes the file with our hooks only from folders that root alone can write, and the sandbox is in none. */
const rootHome = mkdtempSync('/run/tandem-e2e-');
afterAll(() => rmSync(rootHome, { recursive: true, force: true }));

const codexRow = {
  name: 'Codex CLI',
  agent: codex,
  flags: ['--dangerously-bypass-approvals-and-sandbox'],
  runs: (command: string) => call('exec_command', { cmd: command }),
};
const bash = (command: string) => call('bash', { command, description: 'Writes' });
const geminiShell = (command: string) =>
  call('run_shell_command', { command, description: 'Writes', is_background: false });
const piRow = { name: 'pi', agent: pi, flags: [], runs: (command: string) => call('bash', { command }) };
const rows = [
  codexRow,
  piRow,
  { name: 'Copilot CLI', agent: copilot, flags: ['--yolo'], runs: bash },
  { name: 'Gemini CLI', agent: gemini, flags: ['--approval-mode', 'yolo'], runs: geminiShell },
  { name: 'Qwen Code', agent: qwen, flags: ['--approval-mode', 'yolo'], runs: geminiShell },
  { name: 'opencode', agent: opencode, flags: [], runs: bash },
  { name: 'Kilo CLI', agent: kilo, flags: [], runs: bash },
];

describeMatrix(rows, [piRow], 'a command of $name', ({ agent, flags, runs }) => {
  const group = useAgentGroup(agent, {
    before: ({ sandbox }) => installOnPath(agent, sandbox),
    start: ({ sandbox }) => ({
      ...throughTandem(agent, flags),
      ...(agent === gemini && { env: { HOME: rootHome, GEMINI_CLI_HOME: sandbox.home } }),
    }),
  });

  it('is recorded with what it wrote, also if it failed, and with its turn', async () => {
    const { stage, running } = group.current;
    await stage.put('a.txt', 'one\ntwo\n');
    const [appending, failing] = ['echo three >> a.txt', 'echo new > new.txt; exit 3'];
    await running.propose([runs(appending), runs(failing)]);
    await running.waitUntilDone();
    const turn = { number: 1, prompt: 'please make edit 1' };
    const by = (command: string) => [{ how: 'written', evidence: expect.stringContaining(command), turn }];
    expect(await recorded(stage)).toEqual({ 'a.txt': by(appending), 'new.txt': by(failing) });
  });
});
