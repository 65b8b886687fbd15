import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createListener, type LoopbackListener, openOwnFolder, sweepStale } from '../src/index.js';
import { recordingEndpoint } from './support/recordingEndpoint.js';

const lockNames = /^\d+\.lock$/;
const deadPid = 999_999_999;
const startedAt = Math.round(performance.timeOrigin);
const endpoint = recordingEndpoint();
let folder: string;
let listener: LoopbackListener;
let mute: Server | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sweep-'));
  listener = await createListener();
  listener.addHttpEndpoint(endpoint);
});
afterEach(async () => {
  await listener.close();
  mute?.close();
  mute = undefined;
});

/** Writes a discovery file like one that a companion left. The process of this test represents a live one. */
function leave(
  name: string,
  mark: { pid?: number; startedAt?: number; port?: number },
  token = endpoint.token,
): void {
  // One millisecond off: the start time matches the process, but it is not this companion.
  const tandem = { pid: process.pid, startedAt: startedAt + 1, port: listener.port, ...mark };
  writeFileSync(join(folder, name), JSON.stringify({ authToken: token, tandem }));
}

const sweep = () => sweepStale({ path: folder }, lockNames, { timeoutMs: 50 });

async function closedPort(): Promise<number> {
  const other = await createListener();
  await other.close();
  return other.port;
}

/** A port that accepts connections and never answers. */
async function mutePort(): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}));
  mute = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('removes the file of a companion whose process is dead', async () => {
  leave('1.lock', { pid: deadPid });
  expect(await sweep()).toEqual([join(folder, '1.lock')]);
  expect(readdirSync(folder)).toEqual([]);
});

test('keeps the file of a companion whose port answers with its token and pid', async () => {
  leave('1.lock', {});
  expect(await sweep()).toEqual([]);
  expect(readdirSync(folder)).toEqual(['1.lock']);
});

test('removes the file if the pid belongs to another process', async () => {
  leave('1.lock', { startedAt: startedAt - 3_600_000, port: await closedPort() });
  expect(await sweep()).toHaveLength(1);
});

test('keeps the file of a companion that answers, even if a corrected clock falsifies its start', async () => {
  leave('1.lock', { startedAt: startedAt - 3_600_000 });
  expect(await sweep()).toEqual([]);
});

test('removes the file if the process runs but nothing listens on the port', async () => {
  leave('1.lock', { port: await closedPort() });
  expect(await sweep()).toHaveLength(1);
});

test('removes the file if the port accepts connections but does not answer', async () => {
  leave('1.lock', { port: await mutePort() });
  expect(await sweep()).toHaveLength(1);
});

test('removes the file when the port belongs to a companion with another token', async () => {
  leave('1.lock', {}, 'another-token');
  expect(await sweep()).toHaveLength(1);
});

test('removes the file when the companion behind the port is another process', async () => {
  leave('1.lock', { pid: process.ppid });
  expect(await sweep()).toHaveLength(1);
});

test('keeps the files of this companion', async () => {
  openOwnFolder(folder).write('1.lock', { authToken: 'not served yet' }, 1);
  expect(await sweep()).toEqual([]);
});

test('touches no file without our mark', async () => {
  writeFileSync(join(folder, '1.lock'), JSON.stringify({ authToken: 'theirs', pid: deadPid }));
  writeFileSync(join(folder, '2.lock'), '{"half":');
  writeFileSync(join(folder, '3.lock'), '');
  writeFileSync(join(folder, '4.lock'), JSON.stringify({ tandem: { pid: 'x', startedAt: 1, port: 1 } }));
  writeFileSync(
    join(folder, '5.lock'),
    `${JSON.stringify({ tandem: { pid: deadPid, startedAt: 1, port: 1 } })}${' '.repeat(70_000)}`,
  );
  mkdirSync(join(folder, '6.lock'));
  expect(await sweep()).toEqual([]);
  expect(readdirSync(folder)).toHaveLength(6);
});

test('touches no file whose name is not a discovery name', async () => {
  leave('notes.txt', { pid: deadPid });
  leave('1.lock.bak', { pid: deadPid });
  expect(await sweep()).toEqual([]);
});

test('does not follow symbolic links', async () => {
  leave('elsewhere.json', { pid: deadPid });
  symlinkSync(join(folder, 'elsewhere.json'), join(folder, '1.lock'));
  expect(await sweep()).toEqual([]);
  expect(readdirSync(folder)).toHaveLength(2);
});

// Only root can change a file's owner. For other users, the system itself prevents the removal.
if (process.getuid?.() === 0) {
  test('touches no file of another user', async () => {
    leave('1.lock', { pid: deadPid });
    const names = ['1.lock', `.tandem-${deadPid}-0123456789ab.tmp`];
    writeFileSync(join(folder, names[1] ?? ''), '{"half":');
    for (const name of names) chownSync(join(folder, name), 65_534, 65_534);
    expect(await sweep()).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(names.sort());
  });
}

test('does not remove a file that another companion replaced meanwhile', async () => {
  leave('1.lock', { port: await mutePort() });
  const sweeping = sweep();
  leave('1.lock', { pid: process.ppid, port: 1 });
  expect(await sweeping).toEqual([]);
  expect(readdirSync(folder)).toEqual(['1.lock']);
});

test('removes temporary files that a crash left behind', async () => {
  writeFileSync(join(folder, `.tandem-${deadPid}-0123456789ab.tmp`), '{"half":');
  writeFileSync(
    join(folder, `.tandem-${process.pid}-0123456789ab.tmp`),
    'old, of a pid that is in use again',
  );
  utimesSync(join(folder, `.tandem-${process.pid}-0123456789ab.tmp`), new Date(0), new Date(0));
  writeFileSync(join(folder, `.tandem-${process.ppid}-0123456789ab.tmp`), 'being written right now');
  writeFileSync(join(folder, '.tandem-notes.tmp'), 'not ours');
  expect(await sweep()).toHaveLength(2);
  expect(readdirSync(folder).sort()).toEqual(
    [`.tandem-${process.ppid}-0123456789ab.tmp`, '.tandem-notes.tmp'].sort(),
  );
});

test('finds nothing in a folder that does not exist', async () => {
  expect(await sweepStale({ path: join(folder, 'none') }, lockNames)).toEqual([]);
});
