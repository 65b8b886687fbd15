import { expect, it } from 'vitest';
import { agents, type Machine, startWords } from '../src/index.js';

const machineOf = (platform: NodeJS.Platform): Machine => ({
  platform,
  home: '/home/ann',
  tmpdir: '/tmp',
  env: {},
});

it('reads the defaults of Qwen Code where each system has them', () => {
  const defaultsOn = (platform: NodeJS.Platform) =>
    agents.qwen.diagnosis.settingsFiles(machineOf(platform), '/w')[0];
  expect(defaultsOn('linux')).toBe('/etc/qwen-code/system-defaults.json');
  expect(defaultsOn('darwin')).toBe('/Library/Application Support/QwenCode/system-defaults.json');
  expect(defaultsOn('win32')).toBe('C:\\ProgramData\\qwen-code\\system-defaults.json');
  expect(defaultsOn('freebsd')).toBe('/home/ann/.qwen/settings.json');
});

it.each([
  ['claude', 'claude --permission-mode default'],
  ['gemini', 'gemini'],
  ['qwen', 'qwen --approval-mode default'],
  ['codex', 'codex'],
  ['copilot', 'copilot'],
  ['opencode', 'opencode'],
  ['kilo', 'kilo'],
  ['pi', 'tandem run pi'],
] as const)(
  'starts %s in a mode in which it asks before it edits, if it has one, or with hooks',
  (agent, command) => {
    expect(startWords(agents[agent].descriptor).join(' ')).toBe(command);
  },
);

it.each(['gemini', 'qwen'] as const)(
  'splits the folders of a file for %s as its system joins them',
  (agent) => {
    const foldersOn = (platform: NodeJS.Platform, workspacePath: string) =>
      agents[agent].diagnosis.read('x.json', { port: 5, workspacePath }, machineOf(platform))?.folders;
    expect(foldersOn('darwin', '/one:/two')).toEqual(['/one', '/two']);
    expect(foldersOn('win32', 'C:\\one;D:\\two')).toEqual(['C:\\one', 'D:\\two']);
  },
);
