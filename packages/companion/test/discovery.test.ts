import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

describe('the discovery files of a companion', () => {
  test('stand for every agent, and for the command, when it has started', async () => {
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
    const named = stage.companion.connections().flatMap(({ discovery }) => discovery);
    const registrations = filesBelow(join(stage.machine.home, '.local/state/tandem/companions'));
    expect([...named, ...registrations].sort()).toEqual(stage.discoveryFiles().sort());
    expect(registrations).toHaveLength(1);
  });

  test('stand for the agents that are served and for no other', async () => {
    const stage = await start({ agents: ['claude'] });
    expect(stage.companion.connections().map(({ id }) => id)).toEqual(['claude']);
    expect(filesBelow(stage.machine.tmpdir)).toEqual([]);
    expect(filesBelow(join(stage.machine.home, '.claude'))).toHaveLength(1);
  });

  test('say the new folders when folders come and go, and so does the registration', async () => {
    const [first, second] = [makeWorkspace(), makeWorkspace()];
    const stage = await start({ folders: [first] });
    const before = stage.discoveryFiles();
    stage.editor.person.setFolders([first, second]);
    const [gemini, qwen, claude] = stage.companion.connections();
    await expect.poll(() => jsonOf(claude?.discovery[0] ?? '').workspaceFolders).toEqual([first, second]);
    for (const file of [...(gemini?.discovery ?? []), ...(qwen?.discovery ?? [])]) {
      await expect.poll(() => jsonOf(file).workspacePath).toBe(`${first}:${second}`);
    }
    expect((await stage.found()).workspaceFolders).toEqual([first, second]);
    expect(stage.discoveryFiles()).toEqual(before);
  });

  test('are all gone when it has stopped', async () => {
    const stage = await start();
    await stage.companion.stop();
    await stage.companion.stop();
    expect(stage.discoveryFiles()).toEqual([]);
  });

  test('are all gone after the synchronous release, and folders that change then bring none back', async () => {
    const stage = await start();
    stage.companion.releaseSync();
    expect(stage.discoveryFiles()).toEqual([]);
    stage.editor.person.setFolders([makeWorkspace()]);
    await stage.companion.stop();
    expect(stage.discoveryFiles()).toEqual([]);
  });
});

describe('a folder that cannot be written', () => {
  const places = {
    gemini: (machine: ReturnType<typeof makeMachine>) => join(machine.tmpdir, 'gemini', 'ide'),
    qwen: (machine: ReturnType<typeof makeMachine>) => join(machine.home, '.qwen', 'ide'),
    claude: (machine: ReturnType<typeof makeMachine>) => join(machine.home, '.claude', 'ide'),
  } as const;

  for (const agent of ['gemini', 'qwen', 'claude'] as const) {
    test(`of ${agent} is a symbolic link: that is told, and every other agent is found`, async () => {
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
      for (const { id, discovery } of stage.companion.connections()) {
        if (id !== agent) expect(discovery.length).toBeGreaterThan(0);
        for (const file of discovery) expect(jsonOf(file).authToken).toBeTypeOf('string');
      }
    });
  }

  test('is a file: the companion still serves the agent itself', async () => {
    const machine = makeMachine();
    writeFileSync(join(machine.tmpdir, 'gemini'), 'in the way');
    const stage = await start({ machine });
    expect((await problemsOf(stage)).map(([id]) => id)).toEqual(['gemini']);
    const client = await stage.connect('gemini');
    expect((await client.next('ide/contextUpdate')).params.workspaceState.isTrusted).toBe(true);
  });

  test('is tried again when folders change', async () => {
    const machine = makeMachine();
    const inTheWay = join(machine.tmpdir, 'gemini');
    writeFileSync(inTheWay, 'in the way');
    const stage = await start({ machine });
    rmSync(inTheWay);
    stage.editor.person.setFolders([makeWorkspace()]);
    await expect.poll(() => problemsOf(stage)).toEqual([]);
    expect(filesBelow(inTheWay)).toHaveLength(1);
  });

  test('is the state folder: the start fails, says so, and leaves nothing', async () => {
    const machine = makeMachine();
    writeFileSync(join(machine.home, '.local'), 'in the way');
    await expect(CompanionStage.create({ machine })).rejects.toThrow(
      '.local/state/tandem/companions cannot be written',
    );
    expect([...filesBelow(machine.tmpdir), ...filesBelow(join(machine.home, '.claude'))]).toEqual([]);
  });
});

describe('the files of a companion that crashed', () => {
  /** As if the process had been killed: its files stay, with its own mark in them. */
  function leaveFilesOf(stage: CompanionStage): void {
    const files = stage.discoveryFiles();
    for (const path of files) {
      const content = jsonOf(path);
      const mark = { ...content.tandem, pid: deadPid };
      writeFileSync(path, JSON.stringify({ ...content, tandem: mark }), { mode: 0o600 });
    }
  }
  /** Larger than any process id there is. */
  const deadPid = 2 ** 30;

  test('are removed by the next one that starts, and never listed', async () => {
    const crashed = await start();
    leaveFilesOf(crashed);
    await crashed.companion.stop();
    expect(crashed.discoveryFiles().length).toBeGreaterThan(5);
    expect(await findCompanions(crashed.machine)).toEqual([]);
    const next = await start({ machine: crashed.machine });
    for (const file of next.discoveryFiles()) expect(jsonOf(file).tandem.pid).toBe(process.pid);
    expect((await findCompanions(crashed.machine)).length).toBe(1);
  });

  test('stay when they are those of another program or of a companion that lives', async () => {
    const living = await start();
    const foreign = join(living.machine.home, '.claude', 'ide', '1.lock');
    writeFileSync(foreign, JSON.stringify({ pid: deadPid, authToken: 'x', transport: 'ws' }));
    const before = living.discoveryFiles();
    await start({ machine: living.machine });
    for (const path of before) expect(living.discoveryFiles()).toContain(path);
  });
});
