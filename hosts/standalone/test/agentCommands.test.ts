import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reviewFlags } from '../src/agentCommands.js';
import { ideModeFor, type SettingsHost } from '../src/agentSettings.js';

describe('the flags that make an agent ask', () => {
  test('are added where its own default is not to ask', () => {
    expect(reviewFlags('qwen', [])).toEqual(['--approval-mode', 'default']);
    expect(reviewFlags('claude', ['fix the bug'])).toEqual(['--permission-mode', 'default']);
    expect(reviewFlags('gemini', [])).toEqual([]);
  });

  test('are left out when the person has chosen', () => {
    for (const args of [['--approval-mode', 'yolo'], ['--approval-mode=plan'], ['-y'], ['--yolo', 'x']]) {
      expect(reviewFlags('qwen', args)).toEqual([]);
    }
    for (const args of [['--permission-mode=plan'], ['x', '--dangerously-skip-permissions']]) {
      expect(reviewFlags('claude', args)).toEqual([]);
    }
  });

  test('are added when a word of the prompt merely looks like a choice', () => {
    expect(reviewFlags('qwen', ['--', '--yolo'])).toEqual(['--approval-mode', 'default']);
    expect(reviewFlags('claude', ['explain --permission-mode'])).toEqual(['--permission-mode', 'default']);
  });
});

describe('the IDE mode of an agent', () => {
  const makeHost = (
    env: Record<string, string> = {},
    platform: NodeJS.Platform = 'freebsd',
  ): SettingsHost => {
    const root = mkdtempSync(join(tmpdir(), 'settings-'));
    const [home, cwd, stateFolder] = ['home', 'work', 'state'].map((name) => join(root, name));
    for (const folder of [home, cwd, stateFolder]) mkdirSync(folder ?? '');
    return { platform, home: home ?? '', cwd: cwd ?? '', env, stateFolder: stateFolder ?? '' };
  };
  const saveSettings = (folder: string, settings: unknown): void => {
    mkdirSync(join(folder, '.gemini'));
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
    writeFileSync(join(folder, '.gemini', 'settings.json'), text);
  };

  test('is switched on for Qwen Code by defaults that rank below its own settings', async () => {
    const { env, hint } = await ideModeFor('qwen', makeHost());
    expect(hint).toBeUndefined();
    expect(JSON.parse(readFileSync(env.QWEN_CODE_SYSTEM_DEFAULTS_PATH ?? '', 'utf8'))).toEqual({
      ide: { enabled: true, hasSeenNudge: true },
    });
  });

  test('is left to Qwen Code where the variable is taken already', async () => {
    const { env, hint } = await ideModeFor(
      'qwen',
      makeHost({ QWEN_CODE_SYSTEM_DEFAULTS_PATH: '/etc/own.json' }),
    );
    expect(env).toEqual({});
    expect(hint).toContain('/ide enable');
  });

  test('needs a word to the person for Gemini CLI, unless it is on', async () => {
    expect(await ideModeFor('gemini', makeHost())).toEqual({
      env: {},
      hint: expect.stringContaining('/ide enable'),
    });
    const on = { ide: { enabled: true } };
    const atHome = makeHost();
    saveSettings(atHome.home, on);
    expect(await ideModeFor('gemini', atHome)).toEqual({ env: {} });
    const inProject = makeHost();
    saveSettings(inProject.cwd, on);
    expect(await ideModeFor('gemini', inProject)).toEqual({ env: {} });
    const moved = makeHost();
    saveSettings(moved.stateFolder, on);
    expect(await ideModeFor('gemini', { ...moved, env: { GEMINI_CLI_HOME: moved.stateFolder } })).toEqual({
      env: {},
    });
    const broken = makeHost();
    saveSettings(broken.home, '{ // comment');
    expect((await ideModeFor('gemini', broken)).hint).toBeDefined();
  });

  test('is not looked for in what is no settings file', async () => {
    const hostile = makeHost();
    mkdirSync(join(hostile.cwd, '.gemini'));
    symlinkSync('/proc/self/pagemap', join(hostile.cwd, '.gemini', 'settings.json'));
    expect((await ideModeFor('gemini', hostile)).hint).toContain('/ide enable');
  });

  test('needs nothing for Claude Code', async () => {
    expect(await ideModeFor('claude', makeHost())).toEqual({ env: {} });
  });
});
