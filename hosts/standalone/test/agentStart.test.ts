import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askingFlags, ideModeFor, type StartHost } from '../src/agentStart.js';

describe('the flags that make an agent ask', () => {
  test('are added if its own default is not to ask', () => {
    expect(askingFlags('qwen', [])).toEqual(['--approval-mode', 'default']);
    expect(askingFlags('claude', ['fix the bug'])).toEqual(['--permission-mode', 'default']);
    expect(askingFlags('gemini', [])).toEqual([]);
  });

  test('are omitted if the user chose another mode', () => {
    for (const args of [['--approval-mode', 'yolo'], ['--approval-mode=plan'], ['-y'], ['--yolo', 'x']]) {
      expect(askingFlags('qwen', args)).toEqual([]);
    }
    for (const args of [['--permission-mode=plan'], ['x', '--dangerously-skip-permissions']]) {
      expect(askingFlags('claude', args)).toEqual([]);
    }
  });

  test('are added if a word of the prompt only looks like a choice', () => {
    expect(askingFlags('qwen', ['--', '--yolo'])).toEqual(['--approval-mode', 'default']);
    expect(askingFlags('claude', ['explain --permission-mode'])).toEqual(['--permission-mode', 'default']);
  });
});

describe('the IDE mode of an agent', () => {
  const makeHost = (env: Record<string, string> = {}, platform: NodeJS.Platform = 'freebsd'): StartHost => {
    const root = mkdtempSync(join(tmpdir(), 'settings-'));
    const [home, cwd, stateFolder] = ['home', 'work', 'state'].map((name) => join(root, name));
    for (const folder of [home, cwd, stateFolder]) mkdirSync(folder ?? '');
    return { platform, home: home ?? '', tmpdir: root, cwd: cwd ?? '', env, stateFolder: stateFolder ?? '' };
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

  test('is added to the defaults that the variable already names, which take precedence', async () => {
    const host = makeHost();
    const own = join(host.cwd, 'own.json');
    writeFileSync(own, JSON.stringify({ ide: { enabled: false }, theme: 'x' }));
    const { env } = await ideModeFor('qwen', { ...host, env: { QWEN_CODE_SYSTEM_DEFAULTS_PATH: own } });
    expect(env.QWEN_CODE_SYSTEM_DEFAULTS_PATH).not.toBe(own);
    expect(JSON.parse(readFileSync(env.QWEN_CODE_SYSTEM_DEFAULTS_PATH ?? '', 'utf8'))).toEqual({
      ide: { enabled: false, hasSeenNudge: true },
      theme: 'x',
    });
  });

  test('comes with our hooks, after those of the defaults', async () => {
    const host = makeHost();
    const [own, ours] = [{ hooks: [{ command: 'own' }] }, { hooks: [{ command: 'ours' }] }];
    const file = join(host.cwd, 'own.json');
    writeFileSync(file, JSON.stringify({ hooks: { Stop: [own], PreToolUse: [own] } }));
    const { env } = await ideModeFor(
      'qwen',
      { ...host, env: { QWEN_CODE_SYSTEM_DEFAULTS_PATH: file } },
      { PreToolUse: [ours], SessionEnd: [ours] },
    );
    expect(JSON.parse(readFileSync(env.QWEN_CODE_SYSTEM_DEFAULTS_PATH ?? '', 'utf8')).hooks).toEqual({
      Stop: [own],
      PreToolUse: [own, ours],
      SessionEnd: [ours],
    });
  });

  test('is left to the user if the file that the variable names is no plain JSON', async () => {
    const host = makeHost();
    const own = join(host.cwd, 'own.json');
    writeFileSync(own, '{ // a comment\n}');
    const { env, hint } = await ideModeFor('qwen', { ...host, env: { QWEN_CODE_SYSTEM_DEFAULTS_PATH: own } });
    expect(env).toEqual({});
    expect(hint).toContain('/ide enable');
  });

  test('gives a hint for Gemini CLI, unless it is on', async () => {
    expect(await ideModeFor('gemini', makeHost())).toEqual({
      env: {},
      hint: expect.stringContaining('/ide enable'),
      isOff: true,
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

  describe('of Gemini CLI, which trusts only what no one but root can write', () => {
    const isRoot = process.getuid?.() === 0;
    /** Homes below a folder that only root can write; of another user, below the temporary folder. */
    const makeRoot = (): string => {
      const root = mkdtempSync(join(isRoot ? '/run' : tmpdir(), 'tandem-settings-'));
      onTestFinished(() => rmSync(root, { recursive: true, force: true }));
      return root;
    };
    const hostIn = (root: string, env: Record<string, string> = {}): StartHost => ({
      ...makeHost(env, 'linux'),
      home: root,
      stateFolder: join(root, 'state'),
    });
    const byHand = { env: {}, isOff: true, hint: expect.stringContaining('/ide enable') };
    const settingsFrom = ({ env }: { readonly env: Readonly<Record<string, string>> }): unknown =>
      JSON.parse(readFileSync(env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH ?? '', 'utf8'));

    test('is switched on by a file there, and left to the user of another account', async () => {
      const mode = await ideModeFor('gemini', hostIn(makeRoot()));
      if (!isRoot) return expect(mode).toEqual(byHand);
      expect(mode.hint).toBeUndefined();
      expect(settingsFrom(mode)).toEqual({ ide: { enabled: true, hasSeenNudge: true } });
    });

    test.each([
      ['a folder that others may write', (root: string) => chmodSync(root, 0o777)],
      ['a folder that others may write, with the sticky bit', (root: string) => chmodSync(root, 0o1777)],
      ['a folder that the group may write', (root: string) => chmodSync(root, 0o775)],
    ])('is left to the user below %s', async (_what, open) => {
      const root = makeRoot();
      const inside = join(root, 'home');
      mkdirSync(inside);
      open(root);
      expect(await ideModeFor('gemini', hostIn(inside))).toEqual(byHand);
      expect(readdirSync(inside, { recursive: true }).filter((each) => /json/.test(String(each)))).toEqual(
        [],
      );
    });

    test('is switched on by a file in the home folder if others may write to the state folder', async () => {
      const mode = await ideModeFor('gemini', { ...hostIn(makeRoot()), stateFolder: makeHost().stateFolder });
      expect(Object.keys(mode.env)).toEqual(isRoot ? ['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'] : []);
    });

    test('keeps the defaults of the machine, also beside settings that a variable names, unless others may write them', async () => {
      const root = makeRoot();
      const settings = join(root, 'etc', 'settings.json');
      const host = hostIn(root, { GEMINI_CLI_SYSTEM_SETTINGS_PATH: settings });
      mkdirSync(join(root, 'etc'));
      const defaults = join(root, 'etc', 'system-defaults.json');
      writeFileSync(defaults, JSON.stringify({ ui: { theme: 'x' } }), { mode: 0o644 });
      const ideMode = { ide: { enabled: true, hasSeenNudge: true } };
      const mode = await ideModeFor('gemini', host);
      if (!isRoot) return expect(mode).toEqual(byHand);
      expect(settingsFrom(mode)).toEqual({ ui: { theme: 'x' }, ...ideMode });
      chmodSync(defaults, 0o666);
      expect(settingsFrom(await ideModeFor('gemini', host))).toEqual(ideMode);
    });
  });

  test('is read only from a regular file', async () => {
    const hostile = makeHost();
    mkdirSync(join(hostile.cwd, '.gemini'));
    symlinkSync('/proc/self/pagemap', join(hostile.cwd, '.gemini', 'settings.json'));
    expect((await ideModeFor('gemini', hostile)).hint).toContain('/ide enable');
  });

  test('is switched on by hand in each session of Codex CLI', async () => {
    expect(await ideModeFor('codex', makeHost())).toEqual({
      env: {},
      hint: 'Codex CLI sees your editor after you type /ide, once in each session.',
    });
  });

  test.each(['claude', 'opencode'] as const)('needs nothing for %s', async (agent) => {
    expect(await ideModeFor(agent, makeHost())).toEqual({ env: {} });
  });
});
