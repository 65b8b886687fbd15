import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agents } from '@tandem/agents';
import { describe, expect, test } from 'vitest';
import { diagnose } from '../src/doctor/index.js';
import { makeMachine, makeWorkspace } from './support/companionStage.js';

async function findings(agent: string, file: string, text: string, env = {}) {
  const machine = { ...makeMachine(), env };
  const path = join(machine.home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const report = await diagnose({ folder: makeWorkspace(), machine });
  return { path, found: report.findings.filter((each) => each.agent === agent) };
}

const idsOf = ({ found }: Awaited<ReturnType<typeof findings>>) => found.map(({ id }) => id);
const off = JSON.stringify({ disableAllHooks: true });

describe('the doctor explains why an agent runs no hooks', () => {
  test.each([
    ['claude', '.claude/settings.json', off, 'disableAllHooks'],
    ['copilot', '.copilot/settings.json', off, 'disableAllHooks'],
    ['qwen', '.qwen/settings.json', off, 'disableAllHooks'],
    ['gemini', '.gemini/settings.json', '{"hooksConfig": {"enabled": false}}', '"enabled": false'],
    ['gemini', '.gemini/settings.json', '{"hooksConfig": {"disabled": ["tandem"]}}', '"disabled"'],
  ])('a setting of %s: %s', async (agent, file, text, words) => {
    const { found, path } = await findings(agent, file, text);
    expect(found).toContainEqual(
      expect.objectContaining({
        id: 'hooks-off',
        severity: 'warning',
        cause: expect.stringContaining(words),
        fix: expect.objectContaining({ command: expect.stringMatching(/^grep -n -i hooks \//) }),
        files: expect.arrayContaining([path]),
      }),
    );
    expect(idsOf(await findings(agent, file, '{"disableAllHooks": false}'))).not.toContain('hooks-off');
  });

  test.each([
    ['opencode', 'OPENCODE_PURE'],
    ['kilo', 'KILO_PURE'],
  ] as const)('a variable of %s', (id, variable) => {
    const { hooksOff } = agents[id].diagnosis;
    const cause = (value: string) =>
      hooksOff?.({ layers: [], managed: undefined, env: { [variable]: value } });
    expect([cause('1'), cause('true')]).toEqual(Array(2).fill(expect.stringContaining(variable)));
    expect([cause(''), cause('0'), cause('false')]).toEqual([undefined, undefined, undefined]);
  });

  test('managed settings of Claude Code, and not the same setting of the user', () => {
    const { hooksOff } = agents.claude.diagnosis;
    const only = { allowManagedHooksOnly: true };
    expect(hooksOff?.({ layers: [], managed: only, env: {} })).toContain('managed settings');
    expect(hooksOff?.({ layers: [only], managed: undefined, env: {} })).toBeUndefined();
  });
});

test('the doctor names a hook of an earlier version', async () => {
  const command = '/bin/sh /bin/sh hook run claude --pid "$PPID" || exit 0';
  const settings = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } });
  const { found, path } = await findings('claude', '.claude/settings.json', settings);
  expect(found).toContainEqual(
    expect.objectContaining({
      id: 'earlier-hook',
      files: [path],
      fix: expect.objectContaining({ command: 'tandem hook install claude' }),
    }),
  );
});
