import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentProtocol, agents, type Machine, type RunningProtocol } from '../src/index.js';
import { Stage } from './support/stage.js';

let stage: Stage;

afterEach(() => stage.close());

const info = { name: 'fake', displayName: 'Fake Editor', pid: 4242 };

async function serve(
  protocol: AgentProtocol,
  folders: readonly string[],
  machine: Partial<Machine> = {},
): Promise<RunningProtocol> {
  stage = await Stage.create({ editor: { folders, info }, machine });
  return stage.start(protocol);
}

/** The content of the only discovery file, or of the one with this name. */
function contentOf(running: RunningProtocol, name?: string): Readonly<Record<string, unknown>> {
  const entries = running.discovery().filter((entry) => name === undefined || entry.name === name);
  expect(entries).toHaveLength(1);
  return entries[0]?.content ?? {};
}

/** The only discovery file, and what the doctor reads in one with this name. */
async function serveAndRead(agent: typeof agents.qwen | typeof agents.claude) {
  const running = await serve(agent, ['/w']);
  const [{ name, content } = { name: '', content: {} }] = running.discovery();
  const read = (of: object) => agent.diagnosis.read(name, of, stage.host.machine);
  const expected = {
    address: { port: stage.listener.port },
    folders: ['/w'],
    pid: 4242,
    token: running.token,
    ideName: 'Fake Editor',
    opensGate: true,
  };
  return { name, content, read, expected };
}

describe('the discovery file of Gemini CLI', () => {
  it('is in its folder and names the pid of the editor and the port [GEM-5 GEM-6 GEM-7 GEM-8 GEM-9]', async () => {
    const running = await serve(agents.gemini, ['/w']);
    const { port } = stage.listener;
    expect(running.discovery()).toMatchObject([
      { folder: '/tmp/gemini/ide', isOwnFolder: true, name: `gemini-ide-server-4242-${port}.json` },
    ]);
    expect(running.discovery()[0]?.name).toMatch(/^gemini-ide-server-(\d+)-\d+\.json$/);
  });

  it('contains port, workspace, token and the editor [GEM-10 GEM-11 GEM-14 GEM-15 GEM-16 GEM-17 GEM-75]', async () => {
    const running = await serve(agents.gemini, ['/w']);
    expect(contentOf(running)).toEqual({
      port: stage.listener.port,
      workspacePath: '/w',
      authToken: running.token,
      ideInfo: { name: 'fake', displayName: 'Fake Editor' },
    });
  });

  it.each([
    ['no folder', [], ''],
    ['one folder', ['/w/one'], '/w/one'],
    ['two folders', ['/w/one', '/w/t wo'], '/w/one:/w/t wo'],
    ['a folder that holds the separator', ['/w/a:b', '/w/one', '/w/c:'], '/w/one'],
  ])(
    'lists %s with the separator of the system and no empty entry [GEM-12 GEM-13 GEM-77]',
    async (_case, folders, list) => {
      const running = await serve(agents.gemini, folders);
      expect(contentOf(running).workspacePath).toBe(list);
      expect(running.environment().GEMINI_CLI_IDE_WORKSPACE_PATH).toBe(list);
    },
  );

  it('lists folders of Windows with a semicolon [GEM-12]', async () => {
    const running = await serve(agents.gemini, ['C:\\one', 'D:\\two'], { platform: 'win32' });
    expect(contentOf(running).workspacePath).toBe('C:\\one;D:\\two');
  });

  it('changes with the folders [GEM-13]', async () => {
    const running = await serve(agents.gemini, ['/w/one']);
    stage.editor.user.setFolders(['/w/two']);
    expect(contentOf(running).workspacePath).toBe('/w/two');
  });

  it('has environment variables beside it [GEM-19 GEM-76]', async () => {
    const running = await serve(agents.gemini, ['/w']);
    expect(running.environment()).toEqual({
      GEMINI_CLI_IDE_SERVER_PORT: String(stage.listener.port),
      GEMINI_CLI_IDE_WORKSPACE_PATH: '/w',
      GEMINI_CLI_IDE_AUTH_TOKEN: running.token,
      GEMINI_CLI_IDE_PID: '4242',
    });
  });

  it('makes a CLI look for the companion in any terminal if no file could be written', async () => {
    const running = await serve(agents.gemini, ['/w']);
    expect(running.environment(false)).toEqual({ ...running.environment(), ZED_SESSION_ID: 'tandem' });
  });

  it('makes a CLI in a container look inside it, unless a variable already does', async () => {
    const variable = 'VSCODE_REMOTE_CONTAINERS_SESSION';
    const inside = await serve(agents.gemini, ['/w'], { isContainer: true });
    expect(inside.environment()[variable]).toBeDefined();
    const known = await serve(agents.gemini, ['/w'], {
      isContainer: true,
      env: { REMOTE_CONTAINERS: 'true' },
    });
    expect(known.environment()[variable]).toBeUndefined();
  });
});

describe('the discovery files of Qwen Code', () => {
  it('are the lock file, the port file of the older document, and both legacy names [QWN-5 QWN-6 QWN-7 QWN-9 QWN-54 QWL-5 QWL-6 QWL-7 QWL-8 QWL-9]', async () => {
    const running = await serve(agents.qwen, ['/w']);
    const { port } = stage.listener;
    expect(running.discovery().map(({ folder, name, isOwnFolder }) => [folder, name, isOwnFolder])).toEqual([
      ['/home/ann/.qwen/ide', `${port}.lock`, true],
      ['/tmp/qwen/ide', `qwen-code-ide-server-4242-${port}.json`, true],
      ['/tmp', 'qwen-code-ide-server-4242.json', false],
      ['/tmp', `qwen-code-ide-server-${port}.json`, false],
    ]);
  });

  it('all contain what both documents and the CLI require [QWN-10 QWN-11 QWN-14 QWN-17 QWN-52 QWN-53 QWN-75 QWL-10 QWL-11 QWL-14 QWL-15 QWL-16 QWL-17]', async () => {
    const running = await serve(agents.qwen, ['/w']);
    for (const { content } of running.discovery()) {
      expect(content).toEqual({
        port: stage.listener.port,
        workspacePath: '/w',
        authToken: running.token,
        ppid: 4242,
        ideName: 'Fake Editor',
        ideInfo: { name: 'fake', displayName: 'Fake Editor' },
      });
    }
  });

  it.each([
    ['no folder', [], ''],
    ['one folder', ['/w/one'], '/w/one'],
    ['two folders', ['/w/one', '/w/t wo'], '/w/one:/w/t wo'],
    ['a folder that holds the separator', ['/w/a:b', '/w/one', '/w/c:'], '/w/one'],
  ])(
    'list %s with the separator of the system and no empty entry [QWN-12 QWN-13 QWN-77 QWL-12 QWL-13]',
    async (_case, folders, list) => {
      const running = await serve(agents.qwen, folders);
      for (const { content } of running.discovery()) expect(content.workspacePath).toBe(list);
      expect(running.environment().QWEN_CODE_IDE_WORKSPACE_PATH).toBe(list);
    },
  );

  it('are read by the CLI if they name the editor, or in a terminal of VS Code', async () => {
    const { name, content, read, expected } = await serveAndRead(agents.qwen);
    expect(read(content)).toEqual(expected);
    const announcement = read({ ...content, ideInfo: undefined });
    const state = { modifiedAt: 0, isPidAlive: true, isAnswering: true, isRead: true };
    const files = announcement ? [{ path: name, announcement, realFolders: ['/w'], ...state }] : [];
    const choiceIn = (env: Record<string, string>) =>
      agents.qwen.diagnosis.choose(files, { cwd: '/w', env, platform: 'linux' });
    expect(choiceIn({})).toEqual({ kind: 'none' });
    expect(choiceIn({ TERM_PROGRAM: 'vscode' })).toMatchObject({ kind: 'file', path: name });
  });

  it('list folders of Windows with a semicolon [QWN-12 QWL-12]', async () => {
    const running = await serve(agents.qwen, ['C:\\one', 'D:\\two'], { platform: 'win32' });
    for (const { content } of running.discovery()) expect(content.workspacePath).toBe('C:\\one;D:\\two');
  });

  it.each([
    ['/elsewhere/qwen', '/elsewhere/qwen'],
    ['~', '/home/ann'],
    ['~/qwen', '/home/ann/qwen'],
    ['relative', join(process.cwd(), 'relative')],
    ['', '/home/ann/.qwen'],
  ])('follow QWEN_HOME=%s, which the terminal gets too [QWN-76]', async (QWEN_HOME, home) => {
    const running = await serve(agents.qwen, ['/w'], { env: { QWEN_HOME } });
    expect(running.discovery()[0]?.folder).toBe(join(home, 'ide'));
    expect(running.environment().QWEN_HOME).toBe(QWEN_HOME === '' ? undefined : home);
  });

  it('have environment variables beside them [QWN-19 QWL-19]', async () => {
    const running = await serve(agents.qwen, ['/w']);
    expect(running.environment()).toEqual({
      QWEN_CODE_IDE_SERVER_PORT: String(stage.listener.port),
      QWEN_CODE_IDE_WORKSPACE_PATH: '/w',
    });
  });
});

describe('the lock file of Claude Code', () => {
  it('is in ~/.claude/ide and is named after the port [CLA-1]', async () => {
    const running = await serve(agents.claude, ['/w']);
    expect(running.discovery()).toMatchObject([
      { folder: '/home/ann/.claude/ide', isOwnFolder: true, name: `${stage.listener.port}.lock` },
    ]);
    expect(Number(running.environment().CLAUDE_CODE_SSE_PORT)).toBe(stage.listener.port);
  });

  it('follows CLAUDE_CONFIG_DIR and exists only once, because the CLI chooses neither of two [CLA-2 CLA-93]', async () => {
    const running = await serve(agents.claude, ['/w'], { env: { CLAUDE_CONFIG_DIR: '/config/claude/' } });
    expect(running.discovery().map(({ folder }) => folder)).toEqual(['/config/claude/ide']);
    expect(running.environment().CLAUDE_CONFIG_DIR).toBe('/config/claude');
  });

  it("contains the document's fields with their types [CLA-3 CLA-5 CLA-6 CLA-7 CLA-8 CLA-9]", async () => {
    const running = await serve(agents.claude, ['/w']);
    expect(contentOf(running)).toEqual({
      workspaceFolders: ['/w'],
      pid: 4242,
      ideName: 'Fake Editor',
      transport: 'ws',
      runningInWindows: false,
      authToken: running.token,
    });
  });

  it('is read by the doctor, which reports another transport', async () => {
    const { content, read, expected } = await serveAndRead(agents.claude);
    expect(read(content)).toEqual({ ...expected, isFromWindows: false });
    expect(read({ ...content, transport: undefined })?.fault).toContain('an older protocol without a token');
  });

  it.each([[[]], [['/w/one']], [['/w/one', '/w/t wo']]])('lists the folders %j [CLA-4]', async (folders) => {
    const running = await serve(agents.claude, folders);
    expect(contentOf(running).workspaceFolders).toEqual(folders);
  });

  it('lists Windows folders in POSIX style for the document, and unchanged for the CLI [CLA-4 CLA-8 CLA-91]', async () => {
    const running = await serve(agents.claude, ['C:\\Users\\x'], { platform: 'win32' });
    expect(contentOf(running)).toMatchObject({
      workspaceFolders: ['/c/Users/x', 'C:\\Users\\x'],
      runningInWindows: true,
    });
  });
});
