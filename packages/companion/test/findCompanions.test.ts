import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { findCompanions, stateFolder } from '../src/control/index.js';
import { CompanionStage, filesBelow, makeMachine } from './support/companionStage.js';

const machine = makeMachine();
const folder = join(stateFolder(machine), 'companions');
const stages: CompanionStage[] = [];
afterEach(async () => {
  await Promise.all(stages.splice(0).map(({ companion }) => companion.stop()));
});

describe('finding companions', () => {
  test('finds none if none has ever run', async () => {
    expect(await findCompanions(makeMachine())).toEqual([]);
  });

  test('skips files that are broken, foreign, or answered with another token', async () => {
    mkdirSync(folder, { recursive: true });
    const stage = await CompanionStage.create({ machine });
    stages.push(stage);
    const { port, token } = addressOf(stage);
    const claimed = { version: '1', editor: 'x', workspaceFolders: [] };
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    const silentAddress = silent.address();
    const silentPort = typeof silentAddress === 'object' ? silentAddress?.port : 0;
    const texts = [
      '',
      '{',
      '[]',
      '{}',
      JSON.stringify({ ...claimed, port, token: 'wrong', pid: process.pid }),
      JSON.stringify({ ...claimed, port, token, pid: process.pid + 1 }),
      JSON.stringify({ ...claimed, port: 1, token, pid: process.pid }),
      JSON.stringify({ ...claimed, port: silentPort, token, pid: process.pid }),
      JSON.stringify({ ...claimed, port: 99_999, token, pid: process.pid }),
    ];
    texts.forEach((text, index) => {
      writeFileSync(join(folder, `1-${index}-abcdef.json`), text);
    });
    writeFileSync(join(folder, 'notes.json'), '{}');
    mkdirSync(join(folder, '1-99-abcdef.json'));
    const found = await findCompanions(machine);
    expect(found.map(({ workspaceFolders }) => workspaceFolders)).toEqual([stage.editor.workspace.folders()]);
    silent.close();
  });

  test('does not block on a pipe, follow a link or read a huge file', async () => {
    const other = makeMachine();
    const there = join(stateFolder(other), 'companions');
    mkdirSync(there, { recursive: true });
    const stage = await CompanionStage.create({ machine: other });
    stages.push(stage);
    const [own = ''] = filesBelow(there);
    execFileSync('mkfifo', [join(there, '1-1-a.json')]);
    symlinkSync(own, join(there, '2-2-b.json'));
    writeFileSync(join(there, '3-3-c.json'), `${readFileSync(own, 'utf8')}${' '.repeat(70_000)}`);
    expect(await findCompanions(other)).toHaveLength(1);
  });

  test('lists the one last that was started or used last', async () => {
    const other = makeMachine();
    const made: CompanionStage[] = [];
    for (let count = 0; count < 3; count++) made.push(await CompanionStage.create({ machine: other }));
    stages.push(...made);
    const folders = made.map(({ editor }) => editor.workspace.folders());
    const listed = async () => (await findCompanions(other)).map(({ workspaceFolders }) => workspaceFolders);
    expect(await listed()).toEqual(folders);
    const [first, second, third] = made;
    const file = join(second?.editor.workspace.folders()[0] ?? '', 'a.txt');
    writeFileSync(file, 'a');
    second?.editor.user.focus(file);
    await expect
      .poll(listed)
      .toEqual([first, third, second].map((stage) => stage?.editor.workspace.folders()));
    const found = await findCompanions(other);
    expect(
      found.every(({ pid, version, editor }) => pid === process.pid && version === '9.8.7' && editor),
    ).toBe(true);
  });
});

describe('the state folder', () => {
  const of = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
    stateFolder({ platform, home: '/home/me', tmpdir: '/tmp', env });

  test('follows the XDG specification', () => {
    expect(of({})).toBe('/home/me/.local/state/tandem');
    expect(of({ XDG_STATE_HOME: '/state' })).toBe('/state/tandem');
    expect(of({ XDG_STATE_HOME: 'relative' })).toBe('/home/me/.local/state/tandem');
    expect(of({ XDG_STATE_HOME: '' })).toBe('/home/me/.local/state/tandem');
    expect(of({}, 'darwin')).toBe('/home/me/.local/state/tandem');
  });

  test('is in the local application data on Windows', () => {
    expect(of({ LOCALAPPDATA: '/local', XDG_STATE_HOME: '/state' }, 'win32')).toBe('/local/tandem');
    expect(of({}, 'win32')).toBe('/home/me/AppData/Local/tandem');
  });
});

function addressOf(stage: CompanionStage): { port: number; token: string } {
  const [file] = filesBelow(join(stateFolder(stage.machine), 'companions'));
  return JSON.parse(readFileSync(file ?? '', 'utf8'));
}
