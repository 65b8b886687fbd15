import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agents } from '@tandem/agents';
import { describe, expect, test } from 'vitest';
import { diagnose } from '../src/doctor/index.js';
import { hookCommands } from '../src/hooks/hookCommands.js';
import { makeMachine, makeWorkspace } from './support/companionStage.js';

async function findings(
  agent: string,
  file: string,
  text: string,
  others: Readonly<Record<string, string>> = {},
) {
  const machine = { ...makeMachine(), env: {} };
  for (const [name, content] of Object.entries({ ...others, [file]: text })) {
    mkdirSync(dirname(join(machine.home, name)), { recursive: true });
    writeFileSync(join(machine.home, name), content);
  }
  const report = await diagnose({ folder: makeWorkspace(), machine });
  return { path: join(machine.home, file), found: report.findings.filter((each) => each.agent === agent) };
}

const idsOf = ({ found }: Awaited<ReturnType<typeof findings>>) => found.map(({ id }) => id);
const nothing = { layers: [], texts: [], managed: undefined, env: {}, installed: [] };
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

  test('settings of the machine for Gemini CLI that others may change', async () => {
    const machine = { ...makeMachine(), platform: 'linux' as const };
    const file = join(machine.home, 'defaults.json');
    const env = { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: file };
    const find = async () => {
      const { findings: all } = await diagnose({ folder: makeWorkspace(), machine: { ...machine, env } });
      return all.find(({ id }) => id === 'skipped-defaults');
    };
    mkdirSync(join(machine.home, '.gemini'), { recursive: true });
    writeFileSync(join(machine.home, '.gemini/settings.json'), '{}');
    expect(await find()).toBeUndefined();
    writeFileSync(file, '{}', { mode: 0o666 });
    chmodSync(file, 0o666);
    expect(await find()).toMatchObject({
      agent: 'gemini',
      cause: `Others than root may change ${file}.`,
      fix: { command: `sudo chown root ${file} && sudo chmod go-w ${file}`, isAutomatic: false },
      files: [file],
    });
  });

  test.each([
    ['opencode', 'OPENCODE_PURE'],
    ['kilo', 'KILO_PURE'],
  ] as const)('a variable of %s', (id, variable) => {
    const { hooksOff } = agents[id].diagnosis;
    const cause = (value: string) => hooksOff?.({ ...nothing, env: { [variable]: value } });
    expect([cause('1'), cause('true')]).toEqual(Array(2).fill(expect.objectContaining({ variable })));
    expect([cause(''), cause('0'), cause('false')]).toEqual([undefined, undefined, undefined]);
  });

  test('managed settings of Claude Code, and not the same setting of the user', async () => {
    const { hooksOff } = agents.claude.diagnosis;
    const only = { allowManagedHooksOnly: true };
    expect((await hooksOff?.({ ...nothing, managed: only }))?.cause).toContain('managed settings');
    expect(hooksOff?.({ ...nothing, layers: [only] })).toBeUndefined();
  });
});

test('the doctor says that Codex CLI has not been told to trust the hooks', async () => {
  const command = hookCommands({ script: '/bin/sh', node: '/bin/sh' }, 'codex', 'installed').event;
  const found = async (command: string, config: string) => {
    const hooks = { Stop: [{ hooks: [{ type: 'command', command, timeout: 600 }] }] };
    return findings('codex', '.codex/hooks.json', JSON.stringify({ hooks }), {
      '.codex/config.toml': config,
    });
  };
  expect((await found(command, '')).found).toContainEqual(
    expect.objectContaining({ id: 'hooks-off', fix: expect.objectContaining({ command: 'codex' }) }),
  );
  expect(idsOf(await found('theirs', ''))).not.toContain('hooks-off');
  expect(idsOf(await found('theirs', 'features.hooks = false'))).toContain('hooks-off');
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
