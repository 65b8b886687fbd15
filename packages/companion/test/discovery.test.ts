import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findCompanions } from '../src/control/index.js';
import {
  CompanionStage,
  filesBelow,
  makeMachine,
  makeWorkspace,
  useStages,
} from './support/companionStage.js';

const start = useStages();

const jsonOf = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const problemsOf = async ({ companion }: CompanionStage) =>
  (await companion.status()).agents.flatMap(({ id, discovery }) =>
    discovery.flatMap(({ problem }) => (problem === undefined ? [] : [[id, problem] as const])),
  );

/** The contents of an agent's discovery files below a folder of its machine, by relative path. */
function written(stage: CompanionStage, agent: string, below: 'home' | 'tmpdir'): Record<string, unknown> {
  const connection = stage.companion.agents.connections().find(({ id }) => id === agent);
  const folder = stage.machine[below];
  const files = (connection?.discovery ?? []).filter((file) => file.startsWith(`${folder}/`));
  return Object.fromEntries(
    files.map((file) => {
      // The mark identifies the files of a crashed companion.
      const { tandem, ...content } = jsonOf(file);
      expect(tandem).toBeDefined();
      return [file.slice(folder.length + 1), content];
    }),
  );
}

/** The token that authorises that agent. */
function tokenOf({ companion }: CompanionStage, agent: string): string | undefined {
  return companion.agents.connections().find(({ id }) => id === agent)?.token;
}

describe('the discovery files of a companion', () => {
  test('exist for every agent and for the command after the start', async () => {
    const stage = await start();
    const { port } = stage.companion;
    const { pid } = stage.editor.info;
    expect(stage.discoveryFiles().map((path) => basename(path))).toEqual(
      expect.arrayContaining([
        `${port}.lock`,
        `gemini-ide-server-${pid}-${port}.json`,
        `qwen-code-ide-server-${pid}-${port}.json`,
      ]),
    );
    const named = stage.companion.agents.connections().flatMap(({ discovery }) => discovery);
    const registrations = filesBelow(join(stage.machine.home, '.local/state/tandem/companions'));
    expect([...named, ...registrations].sort()).toEqual(stage.discoveryFiles().sort());
    expect(registrations).toHaveLength(1);
  });

  test('of Gemini CLI are in its folder, which is created, with the documented fields [GEM-5 GEM-6 GEM-7 GEM-8 GEM-9 GEM-10 GEM-11 GEM-12 GEM-13 GEM-14 GEM-15 GEM-16 GEM-17 GEM-50]', async () => {
    const folders = [makeWorkspace(), makeWorkspace()];
    const stage = await start({ folders });
    const { port } = stage.companion;
    const { info } = stage.editor;
    expect(written(stage, 'gemini', 'tmpdir')).toEqual({
      [`gemini/ide/gemini-ide-server-${info.pid}-${port}.json`]: {
        port,
        workspacePath: folders.join(':'),
        authToken: tokenOf(stage, 'gemini'),
        ideInfo: { name: info.name, displayName: info.displayName },
      },
    });
  });

  test('of Qwen Code are in its folders, which are created, with the fields of both documents [QWN-5 QWN-6 QWN-7 QWN-9 QWN-10 QWN-11 QWN-12 QWN-13 QWN-14 QWN-17 QWN-50 QWN-52 QWN-53 QWN-54 QWL-5 QWL-6 QWL-7 QWL-8 QWL-9 QWL-10 QWL-11 QWL-12 QWL-13 QWL-14 QWL-15 QWL-16 QWL-17 QWL-50]', async () => {
    const folders = [makeWorkspace(), makeWorkspace()];
    const stage = await start({ folders });
    const { port } = stage.companion;
    const { info } = stage.editor;
    const content = {
      port,
      workspacePath: folders.join(':'),
      authToken: tokenOf(stage, 'qwen'),
      ppid: info.pid,
      ideName: info.displayName,
      ideInfo: { name: info.name, displayName: info.displayName },
    };
    expect(written(stage, 'qwen', 'home')).toEqual({ [`.qwen/ide/${port}.lock`]: content });
    expect(written(stage, 'qwen', 'tmpdir')).toEqual({
      [`qwen/ide/qwen-code-ide-server-${info.pid}-${port}.json`]: content,
      [`qwen-code-ide-server-${info.pid}.json`]: content,
      [`qwen-code-ide-server-${port}.json`]: content,
    });
  });

  test('of Claude Code are one file with the six documented fields [CLA-1 CLA-3 CLA-4 CLA-5 CLA-6 CLA-7 CLA-8 CLA-9 CLA-93]', async () => {
    const folders = [makeWorkspace(), makeWorkspace()];
    const stage = await start({ folders });
    const { info } = stage.editor;
    expect(written(stage, 'claude', 'home')).toEqual({
      [`.claude/ide/${stage.companion.port}.lock`]: {
        workspaceFolders: folders,
        pid: info.pid,
        ideName: info.displayName,
        transport: 'ws',
        runningInWindows: process.platform === 'win32',
        authToken: tokenOf(stage, 'claude'),
      },
    });
    expect(written(stage, 'claude', 'tmpdir')).toEqual({});
  });

  test('of Claude Code are only in the folder that CLAUDE_CONFIG_DIR names [CLA-2 CLA-93]', async () => {
    const machine = makeMachine();
    const config = join(machine.home, 'config');
    const stage = await start({ machine: { ...machine, env: { CLAUDE_CONFIG_DIR: config } } });
    expect(Object.keys(written(stage, 'claude', 'home'))).toEqual([
      `config/ide/${stage.companion.port}.lock`,
    ]);
    expect(existsSync(join(machine.home, '.claude'))).toBe(false);
  });

  test('can be read and written only by the user, as can the folders that are ours [CLA-10]', async () => {
    const stage = await start();
    for (const file of stage.discoveryFiles()) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const folder = dirname(file);
      if (folder !== stage.machine.tmpdir) expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
  });

  test('exist only for the agents that are served', async () => {
    const stage = await start({ agents: ['claude'] });
    expect(stage.companion.agents.connections().map(({ id }) => id)).toEqual(['claude']);
    expect(filesBelow(stage.machine.tmpdir)).toEqual([]);
    expect(filesBelow(join(stage.machine.home, '.claude'))).toHaveLength(1);
  });

  test('and the registration list the new folders after folders are added or removed', async () => {
    const [first, second] = [makeWorkspace(), makeWorkspace()];
    const stage = await start({ folders: [first] });
    const before = stage.discoveryFiles();
    stage.editor.user.setFolders([first, second]);
    const connections = stage.companion.agents.connections();
    const [claude, copilot, gemini, qwen] = ['claude', 'copilot', 'gemini', 'qwen'].map((agent) =>
      connections.find(({ id }) => id === agent),
    );
    for (const file of [claude?.discovery[0], copilot?.discovery[0]]) {
      await expect.poll(() => jsonOf(file ?? '').workspaceFolders).toEqual([first, second]);
    }
    for (const file of [...(gemini?.discovery ?? []), ...(qwen?.discovery ?? [])]) {
      await expect.poll(() => jsonOf(file).workspacePath).toBe(`${first}:${second}`);
    }
    expect((await stage.found()).workspaceFolders).toEqual([first, second]);
    expect(stage.discoveryFiles()).toEqual(before);
  });

  test('are all removed after the stop [GEM-51 QWN-51 QWL-51 CLA-53]', async () => {
    const stage = await start();
    expect(stage.discoveryFiles().length).toBeGreaterThan(5);
    await stage.companion.stop();
    await stage.companion.stop();
    expect(stage.files()).toEqual([]);
  });

  test('are all removed by the synchronous release, and later folder changes do not restore them', async () => {
    const stage = await start();
    stage.companion.releaseSync();
    expect(stage.discoveryFiles()).toEqual([]);
    stage.editor.user.setFolders([makeWorkspace()]);
    await stage.companion.stop();
    expect(stage.files()).toEqual([]);
  });
});

describe('a folder that cannot be written', () => {
  const places = {
    gemini: (machine: ReturnType<typeof makeMachine>) => join(machine.tmpdir, 'gemini', 'ide'),
    qwen: (machine: ReturnType<typeof makeMachine>) => join(machine.home, '.qwen', 'ide'),
    claude: (machine: ReturnType<typeof makeMachine>) => join(machine.home, '.claude', 'ide'),
    copilot: (machine: ReturnType<typeof makeMachine>) => join(machine.home, '.copilot', 'ide'),
  } as const;

  for (const agent of ['gemini', 'qwen', 'claude', 'copilot'] as const) {
    test(`of ${agent} is reported if it is a symbolic link, and every other agent has its file`, async () => {
      const machine = makeMachine();
      const place = places[agent](machine);
      const elsewhere = makeWorkspace();
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(elsewhere, place);
      const stage = await start({ machine });
      expect(filesBelow(elsewhere)).toEqual([]);
      const problems = await problemsOf(stage);
      expect(problems.map(([id]) => id)).toEqual([agent]);
      expect(problems[0]?.[1]).toContain(`${place} is a symbolic link`);
      for (const { id, discovery } of stage.companion.agents.connections()) {
        if (id !== agent && id in places) expect(discovery.length).toBeGreaterThan(0);
        for (const file of discovery) {
          const { authToken, headers } = jsonOf(file);
          expect(authToken ?? headers.Authorization).toBeTypeOf('string');
        }
      }
    });
  }

  test('does not prevent the companion from serving the agent if it is a file', async () => {
    const machine = makeMachine();
    writeFileSync(join(machine.tmpdir, 'gemini'), 'in the way');
    const stage = await start({ machine });
    expect((await problemsOf(stage)).map(([id]) => id)).toEqual(['gemini']);
    const client = await stage.connect('gemini');
    expect((await client.next('ide/contextUpdate')).params.workspaceState.isTrusted).toBe(true);
  });

  test('is tried again when the workspace folders change', async () => {
    const machine = makeMachine();
    const inTheWay = join(machine.tmpdir, 'gemini');
    writeFileSync(inTheWay, 'in the way');
    const stage = await start({ machine });
    rmSync(inTheWay);
    stage.editor.user.setFolders([makeWorkspace()]);
    await expect.poll(() => problemsOf(stage)).toEqual([]);
    expect(filesBelow(inTheWay)).toHaveLength(1);
  });

  test('fails the start with a message and leaves nothing if it is the state folder', async () => {
    const machine = makeMachine();
    writeFileSync(join(machine.home, '.local'), 'in the way');
    await expect(CompanionStage.create({ machine })).rejects.toThrow(
      '.local/state/tandem/companions cannot be written',
    );
    expect([...filesBelow(machine.tmpdir), ...filesBelow(join(machine.home, '.claude'))]).toEqual([]);
  });
});

describe('the files of a companion that crashed', () => {
  /** Simulates a killed process: its files stay, with its own mark in them. */
  function leaveFilesOf(stage: CompanionStage): void {
    const files = stage.discoveryFiles();
    for (const path of files) {
      const content = jsonOf(path);
      const mark = { ...content.tandem, pid: deadPid };
      writeFileSync(path, JSON.stringify({ ...content, tandem: mark }), { mode: 0o600 });
    }
  }
  /** Larger than any process id. */
  const deadPid = 2 ** 30;

  test('are removed by the next companion that starts, and never listed', async () => {
    const crashed = await start();
    leaveFilesOf(crashed);
    await crashed.companion.stop();
    expect(crashed.discoveryFiles().length).toBeGreaterThan(5);
    expect(await findCompanions(crashed.machine)).toEqual([]);
    const next = await start({ machine: crashed.machine });
    for (const file of next.discoveryFiles()) expect(jsonOf(file).tandem.pid).toBe(process.pid);
    expect((await findCompanions(crashed.machine)).length).toBe(1);
  });

  test('stay if they belong to another program or to a live companion', async () => {
    const living = await start();
    const foreign = join(living.machine.home, '.claude', 'ide', '1.lock');
    writeFileSync(foreign, JSON.stringify({ pid: deadPid, authToken: 'x', transport: 'ws' }));
    const before = living.discoveryFiles();
    await start({ machine: living.machine });
    for (const path of before) expect(living.discoveryFiles()).toContain(path);
  });
});
