import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Machine } from '@tandem/agents';
import { describe, expect, test } from 'vitest';
import { reportOn } from '../src/doctor/diagnose.js';
import type { DoctorFacts } from '../src/doctor/doctorFacts.js';
import { gatherFacts } from '../src/doctor/gatherFacts.js';
import { diagnose } from '../src/doctor/index.js';
import { readProgram } from '../src/doctor/programs.js';
import { readFolders } from '../src/doctor/readFiles.js';
import type { RefusedFileReason } from '../src/files/refusedFileError.js';
import { makeMachine, makeWorkspace, useStages } from './support/companionStage.js';

const start = useStages();
const carrier = { kind: 'http' } as const;

/** A machine with settings of Gemini CLI. */
function withGemini(changes: Partial<Machine> = {}): Machine {
  const machine = makeMachine();
  mkdirSync(join(machine.home, '.gemini'));
  const settings = JSON.stringify({ ide: { enabled: true } });
  writeFileSync(join(machine.home, '.gemini/settings.json'), `// mine\n${settings}`);
  return { ...machine, env: {}, ...changes };
}

/** The facts of a machine with one companion that agents in its folder find. */
async function facts(machine = withGemini()): Promise<DoctorFacts> {
  const folder = makeWorkspace();
  await start({ machine, folders: [folder] });
  const gathered = await gatherFacts({ machine, folder, command: 'tandem' });
  // The editor of the stage has no real process.
  const files = gathered.files.map((file) => ({
    ...file,
    announced: file.announced && { ...file.announced, isPidAlive: true },
  }));
  return { ...gathered, files };
}

const idsOf = (of: DoctorFacts) => reportOn(of).findings.map(({ id }) => id);

describe('the doctor explains to users of Gemini CLI', () => {
  test.each([
    ['the folder itself', 'a:b', ''],
    ['a folder around it', 'a:b/c', ''],
    ['a subfolder of it', 'a:b', 'sub'],
  ])('that it splits the path at a colon in the name of %s', async (_what, served, started) => {
    const machine = withGemini();
    const parent = makeWorkspace();
    const folder = join(parent, served, started);
    mkdirSync(folder, { recursive: true });
    await start({ machine, folders: [join(parent, served)] });
    const { findings } = await diagnose({ folder, machine });
    expect(findings.filter(({ agent }) => agent === 'gemini')).toMatchObject([
      {
        id: 'split-folder',
        cause: expect.stringContaining('its path contains ":"'),
        fix: { command: `mv ${parent}/a:b ${parent}/a-b`, place: 'shell' },
      },
    ]);
  });

  test('that a colon matters only if no other folder of the companion is around', async () => {
    const machine = withGemini();
    const parent = makeWorkspace();
    const folder = join(parent, 'a:b');
    mkdirSync(folder);
    await start({ machine, folders: [folder, parent] });
    const { findings } = await diagnose({ folder, machine });
    expect(findings.map(({ id }) => id)).not.toContain('split-folder');
  });

  test('that `tandem run` connects it where the folder of its file cannot be used', async () => {
    const machine = withGemini();
    writeFileSync(join(machine.tmpdir, 'gemini'), 'of another user');
    const folder = makeWorkspace();
    await start({ machine, folders: [folder] });
    const { findings } = await diagnose({ folder, machine });
    expect(findings.filter(({ agent }) => agent === 'gemini')).toMatchObject([
      { id: 'not-written', fix: { command: 'tandem run gemini' } },
    ]);
    const env = { ZED_SESSION_ID: 'tandem' };
    const { agents } = await diagnose({ folder, machine: { ...machine, env } });
    expect(agents.find(({ id }) => id === 'gemini')?.connection.kind).toBe('nothing');
  });
});

describe('the doctor in a container', () => {
  test('reports that Gemini CLI looks outside, unless a variable overrides that', async () => {
    const machine = withGemini({ isContainer: true });
    const folder = makeWorkspace();
    await start({ machine, folders: [folder] });
    const errors = async (of: Machine) =>
      (await diagnose({ folder, machine: of })).findings.filter(
        ({ severity, agent }) => severity === 'error' && agent === 'gemini',
      );
    expect(await errors(machine)).toMatchObject([
      { id: 'dev-container', agent: 'gemini', fix: { command: 'export REMOTE_CONTAINERS=1' } },
    ]);
    expect(await errors({ ...machine, env: { REMOTE_CONTAINERS: '1' } })).toEqual([]);
  });

  test('reports that a companion outside is not reachable', async () => {
    const machine = withGemini({ isContainer: true });
    const report = await diagnose({ folder: makeWorkspace(), machine });
    expect(report.findings).toMatchObject([{ id: 'container-alone', severity: 'error' }]);
  });

  test('does not treat a file as stale if its process may be outside', async () => {
    const { files, ...rest } = await facts();
    const dead = files.map((file) => ({
      ...file,
      announced: file.announced && {
        ...file.announced,
        probe: { kind: 'silent' } as const,
        isPidAlive: false,
        writer: { pid: 1, isAlive: false },
      },
    }));
    expect(idsOf({ ...rest, files: dead })).toContain('stale-file');
    const mounted = dead.map((file) => ({ ...file, isMounted: true }));
    expect(idsOf({ ...rest, files: mounted })).not.toContain('stale-file');
    expect(idsOf({ ...rest, files: mounted })).toContain('silent-port');
  });
});

describe('the doctor', () => {
  test('names a settings file that it does not read, with the reason, and counts its agent as used', async () => {
    const folder = makeWorkspace();
    for (const name of ['.gemini', '.qwen', '.claude']) mkdirSync(join(folder, name));
    symlinkSync('/dev/zero', join(folder, '.gemini/settings.json'));
    symlinkSync('/proc/self/pagemap', join(folder, '.qwen/settings.json'));
    writeFileSync(join(folder, '.claude/settings.json'), ' '.repeat(1024 * 1024 + 1));
    const { agents, findings } = await diagnose({ folder, machine: makeMachine() });
    expect(agents.flatMap(({ id, isUsed }) => (isUsed ? [id] : []))).toEqual(['claude', 'gemini', 'qwen']);
    const path = (name: string): string => join(folder, name, 'settings.json');
    expect(findings.filter(({ id }) => id === 'refused-settings')).toMatchObject([
      {
        agent: 'claude',
        cause: `${path('.claude')} is not read: it has 1048577 bytes; the limit is 1048576.`,
        fix: { command: `ls -ld ${path('.claude')}`, isAutomatic: false },
      },
      { agent: 'gemini', cause: `${path('.gemini')} is not read: it is a device and not a regular file.` },
      {
        agent: 'qwen',
        cause: `${path('.qwen')} is not read: it contains more bytes than its reported size.`,
      },
    ]);
  });

  test('advises removing a settings file only if that loses no settings', async () => {
    const all = await facts();
    const path = '/home/u/.gemini/settings.json';
    const cureOf = (reason: RefusedFileReason): string[] => {
      const refusedSettings = [{ path, reason, why: 'it is refused' }];
      const agents = all.agents.map((agent) => ({ ...agent, isUsed: true, refusedSettings }));
      const found = reportOn({ ...all, agents }).findings.find(({ id }) => id === 'refused-settings');
      expect(found?.fix).toMatchObject({ place: 'shell', isAutomatic: false });
      return [found?.fix.command ?? '', found?.consequence.replace(/.*reads the file\. /, '') ?? ''];
    };
    expect(cureOf('no-answer')).toEqual(['mount', 'Check the disk or the network share.']);
    expect(cureOf('too-large')).toEqual([`ls -ld ${path}`, 'Make the file smaller.']);
    expect(cureOf('folder')).toEqual([
      `ls -ld ${path}`,
      'Rename the folder, and create a file with this name.',
    ]);
    expect(cureOf('special')).toEqual([`rm ${path}`, 'Remove it.']);
    expect(cureOf('endless')).toEqual([`rm ${path}`, 'Remove it.']);
  });

  test('reads settings that consist of line ends in linear time', async () => {
    const folder = makeWorkspace();
    mkdirSync(join(folder, '.gemini'));
    writeFileSync(join(folder, '.gemini/settings.json'), `{"ide":\n${'\n'.repeat(200_000)}`);
    const machine = makeMachine();
    const before = process.cpuUsage();
    await gatherFacts({ machine, folder, command: 'tandem' });
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5_000);
  });

  test('writes its fixes for the shell of the user', async () => {
    const all = await facts();
    const env = { HTTP_PROXY: 'http://proxy', CLAUDE_CODE_SSE_PORT: '1' };
    const fixesFor = (changes: Partial<Machine>): string[] => {
      const agents = all.agents.map((agent) => ({ ...agent, isUsed: true }));
      const machine = { ...all.machine, ...changes, env: { ...env, ...changes.env } };
      return reportOn({ ...all, agents, machine })
        .findings.filter(({ id }) => id === 'proxy' || id === 'stale-variable')
        .map(({ fix }) => fix.command);
    };
    expect(fixesFor({ platform: 'win32' })).toEqual([
      'tandem env --shell powershell | Out-String | Invoke-Expression',
      '$env:NO_PROXY = "127.0.0.1,localhost,$env:NO_PROXY"',
    ]);
    expect(fixesFor({ platform: 'darwin', env: { SHELL: '/bin/zsh' } })).toEqual([
      'eval "$(tandem env)"',
      'export NO_PROXY="127.0.0.1,localhost,$NO_PROXY"',
    ]);
  });

  test('finds a program of the project around the folder', async () => {
    const folder = makeWorkspace();
    const path = join(folder, 'node_modules/.bin/qwen');
    mkdirSync(dirname(path), { recursive: true });
    mkdirSync(join(folder, 'sub'));
    writeFileSync(path, '#!/bin/sh\necho 1.2.3\n', { mode: 0o755 });
    const machine = { ...makeMachine(), env: { PATH: '/bin' } };
    expect(await readProgram('qwen', machine, join(folder, 'sub'))).toEqual({ path, version: '1.2.3' });
    expect(await readProgram('qwen', machine)).toBeUndefined();
  });

  test('finds a program of npm on Windows by its script, whose version it cannot ask', async () => {
    const folder = makeWorkspace();
    const path = join(folder, 'qwen.cmd');
    writeFileSync(path, '', { mode: 0o755 });
    writeFileSync(join(folder, 'qwen'), '', { mode: 0o755 });
    const machine = { ...makeMachine(), platform: 'win32' as const, env: { Path: folder } };
    expect(await readProgram('qwen', machine)).toEqual({ path, version: undefined });
    expect(await readProgram('gemini', machine)).toBeUndefined();
  });

  test('is in WSL only on Linux', async () => {
    const [folder, env] = [makeWorkspace(), { WSL_DISTRO_NAME: 'Debian' }];
    const isWslOn = async (platform: NodeJS.Platform) =>
      (await gatherFacts({ machine: { ...makeMachine(), platform, env }, folder, command: 'tandem' })).isWsl;
    expect(await isWslOn('linux')).toBe(true);
    expect(await isWslOn('win32')).toBe(false);
  });

  test('knows no modes of folders on Windows', () => {
    const folder = makeWorkspace();
    const place = { folder, names: /x/, isOwnFolder: true, isRead: true };
    const reader = { id: 'acme', diagnosis: { places: () => [place], read: () => undefined, carrier } };
    const modeOn = (platform: NodeJS.Platform) =>
      readFolders(reader, { ...makeMachine(), platform }).map(({ mode }) => mode);
    chmodSync(folder, 0o777);
    expect(modeOn('darwin')).toEqual([0o777]);
    expect(modeOn('win32')).toEqual([undefined]);
  });

  test('reports nothing if everything works', async () => {
    expect(idsOf(await facts())).toEqual([]);
  });

  test('reports folders that belong to another user, and folders that are links', async () => {
    const all = await facts();
    const foreign = all.folders.map((folder) => ({ ...folder, isOwn: false }));
    const linked = all.folders.map((folder) => ({ ...folder, isLink: true }));
    // Of the agents' folders, only the temporary folder itself is shared by all users.
    expect(all.folders.length).toBeGreaterThan(5);
    expect(idsOf({ ...all, folders: foreign })).toEqual(Array(all.folders.length - 1).fill('foreign-folder'));
    expect(idsOf({ ...all, folders: linked })).toEqual(Array(all.folders.length - 1).fill('linked-folder'));
  });

  test('never treats a file of another user as stale', async () => {
    const { files, ...rest } = await facts();
    const foreign = files.map((file) => ({ ...file, isOwn: false, announced: undefined }));
    const ids = idsOf({ ...rest, files: foreign });
    expect(ids).not.toContain('stale-file');
    expect(ids).not.toContain('broken-file');
  });

  test('distinguishes a companion that hangs or refuses connections from one that has ended', async () => {
    const { files, ...rest } = await facts();
    const answering = (probe: NonNullable<DoctorFacts['files'][number]['announced']>['probe']) =>
      files.map((file) => ({ ...file, announced: file.announced && { ...file.announced, probe } }));
    expect(idsOf({ ...rest, files: answering({ kind: 'unresponsive' }) })).toContain('unresponsive');
    expect(idsOf({ ...rest, files: answering({ kind: 'broken', step: 'initialize' }) })).toContain(
      'broken-handshake',
    );
  });

  test('reports that no companion is running', async () => {
    const machine = makeMachine();
    const report = await diagnose({ folder: makeWorkspace(), machine });
    expect(report.findings).toMatchObject([
      { id: 'no-companion', severity: 'error', fix: { command: 'tandem' } },
    ]);
    expect(report.agents.filter(({ isUsed }) => isUsed)).toEqual([]);
  });
});
