import { homedir } from 'node:os';
import { agentIds } from '@tandem/companion/agents';
import { defaultDenyList, type LogFields, silentLogger } from '@tandem/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { readChatSettings, readSettings, warnOfIgnoredSettings } from '../src/settings.js';
import { openFakeWindow } from './support/fakeVscode/index.js';

let window: ReturnType<typeof openFakeWindow>;
beforeEach(() => {
  window = openFakeWindow();
});

/** The patterns that settings add. */
const ownPatterns = (): readonly string[] => readSettings().denyList.slice(defaultDenyList.length);

describe('the settings', () => {
  it('have defaults', () => {
    expect(readSettings()).toEqual({
      agents: agentIds,
      historyLimits: {},
      hooks: 'follow',
      denyList: defaultDenyList,
      respectsGitignore: false,
      seesChanges: true,
      startsPaused: false,
      claudeConfigDir: undefined,
      takesFocus: false,
      opensAccepted: true,
      whenClosed: 'reject',
      startCommand: expect.any(Function),
    });
    expect(
      (['claude', 'codex', 'copilot', 'gemini', 'qwen'] as const).map(readSettings().startCommand),
    ).toEqual([
      'claude --permission-mode default',
      'codex',
      'copilot',
      'gemini',
      'qwen --approval-mode default',
    ]);
    expect(readChatSettings()).toEqual({ command: ['qwen'], picksShown: 'whenChatHasFocus' });
  });

  it('name the agents that are served', () => {
    window.set('tandem.agents.gemini', false);
    expect(readSettings().agents).toEqual(agentIds.filter((id) => id !== 'gemini'));
  });

  it('of a folder can hide more files, but share none', () => {
    window.set('tandem.sharing.denyList', ['private-*', '!.env'], 'workspaceValue');
    window.set('tandem.sharing.startPaused', true, 'workspaceValue');
    window.set('tandem.sharing.respectGitignore', true, 'workspaceValue');
    expect(ownPatterns()).toEqual(['private-*']);
    expect(readSettings()).toMatchObject({ startsPaused: true, respectsGitignore: true });
  });

  it("of the user hide and share files, regardless of a folder's settings", () => {
    window.set('tandem.sharing.denyList', ['private-*', '!.env']);
    window.set('tandem.sharing.denyList', ['!private-*', '.env'], 'workspaceValue');
    window.set('tandem.sharing.startPaused', true);
    window.set('tandem.sharing.startPaused', false, 'workspaceValue');
    expect(ownPatterns()).toEqual(['.env', 'private-*', '!.env']);
    expect(readSettings().startsPaused).toBe(true);
  });

  it('of the wrong type are ignored', () => {
    for (const name of [
      'sharing.denyList',
      'reviews.whenClosed',
      'hooks',
      'startCommands',
      'claudeConfigDir',
      'daemon.url',
    ])
      window.set(`tandem.${name}`, 7);
    window.set('tandem.daemon.command', [7, '']);
    window.set('tandem.history.days', '30');
    window.set('tandem.history.reviews', 0);
    expect(readSettings()).toMatchObject({
      denyList: defaultDenyList,
      whenClosed: 'reject',
      hooks: 'follow',
    });
    expect(readSettings().historyLimits).toEqual({});
    expect(readSettings().startCommand('qwen')).toBe('qwen --approval-mode default');
    expect(readChatSettings()).not.toHaveProperty('url');
  });

  it("set Claude Code's folder: an absolute path, or one in the home folder", () => {
    const logged: LogFields[] = [];
    const logger = { ...silentLogger, warn: (_text: string, fields: LogFields = {}) => logged.push(fields) };
    for (const [value, folder] of [
      ['/a/b/../c', '/a/c'],
      ['~/claude', `${homedir()}/claude`],
      ['', undefined],
      ['relative', undefined],
    ] as const) {
      window.set('tandem.claudeConfigDir', value);
      expect(readSettings().claudeConfigDir).toBe(folder);
      warnOfIgnoredSettings(logger);
    }
    expect(logged).toEqual([{ value: 'relative' }]);
  });

  it('set the command that starts an agent', () => {
    window.set('tandem.startCommands', { claude: 'claude --model opus', gemini: ' ' });
    const { startCommand } = readSettings();
    expect([startCommand('claude'), startCommand('gemini')]).toEqual(['claude --model opus', 'gemini']);
  });
});
