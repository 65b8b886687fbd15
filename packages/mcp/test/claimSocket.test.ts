import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  claimSocket,
  connectToSocket,
  noteSocketOwner,
  type OwnedSocket,
  probeCompanion,
  socketIdentity,
  socketOwner,
} from '../src/index.js';

const isRoot = process.getuid?.() === 0;
const someoneElse = 65_534;
let path: string;
let servers: Server[];

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 's-')), 'own/a.sock');
  servers = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers) server.close();
});

function server(): Server {
  const made = createServer((socket) => socket.destroy());
  servers.push(made);
  return made;
}

const listening = (at: string): Promise<Server> =>
  new Promise((resolve) => {
    const made = server().listen(at, () => resolve(made));
  });

async function own(): Promise<OwnedSocket> {
  const claim = await claimSocket(path, server());
  if (claim instanceof Socket) throw new Error('Another program owns the socket.');
  return claim;
}

/** Whether a program that owns the socket answers; the connection is closed. */
async function isConnected(): Promise<boolean> {
  const claim = await claimSocket(path, server());
  if (!(claim instanceof Socket)) return false;
  claim.destroy();
  return true;
}

/** Leaves a socket at which no process listens, as one that was killed does. */
async function leaveDead(): Promise<void> {
  mkdirSync(dirname(path), { mode: 0o700 });
  const dead = await listening(`${path}.first`);
  // Node removes a socket under the name with which it was made.
  renameSync(`${path}.first`, path);
  await new Promise((resolve) => dead.close(resolve));
  expect(existsSync(path)).toBe(true);
}

/** Makes a path that another user owns. Only root can change an owner; otherwise this process takes itself for another user. */
function disown(of: string): void {
  if (isRoot) chownSync(of, someoneElse, someoneElse);
  else vi.spyOn(process, 'geteuid').mockReturnValue(someoneElse);
}

describe('a socket that is claimed', () => {
  test('is only for its user, in a private folder, and goes when it is released', async () => {
    const owned = await own();
    expect([statSync(dirname(path)).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readdirSync(dirname(path))).toEqual(['a.sock']);
    expect(await isConnected()).toBe(true);
    owned.release();
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test('makes its folder private', async () => {
    mkdirSync(dirname(path), { mode: 0o777 });
    await own();
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  test('is owned by one of many that claim it at once, also where a dead one was left', async () => {
    await leaveDead();
    const claims = await Promise.all(Array.from({ length: 12 }, () => claimSocket(path, server())));
    const connections = claims.filter((claim) => claim instanceof Socket);
    expect(connections).toHaveLength(11);
    for (const connection of connections) connection.destroy();
    expect(readdirSync(dirname(path))).toEqual(['a.sock']);
  });

  test('is not taken from a program that listens, and is free when it ends', async () => {
    mkdirSync(dirname(path), { mode: 0o700 });
    const other = await listening(path);
    const { ino } = statSync(path);
    expect(await isConnected()).toBe(true);
    expect(statSync(path).ino).toBe(ino);
    other.close();
    await own();
  });

  test('that another program removes or replaces is not in place, and stays with that one', async () => {
    const owned = await own();
    expect(owned.isInPlace()).toBe(true);
    unlinkSync(path);
    expect(owned.isInPlace()).toBe(false);
    const next = await own();
    expect(owned.isInPlace()).toBe(false);
    owned.release();
    expect(next.isInPlace()).toBe(true);
    expect(await isConnected()).toBe(true);
  });
});

describe('a socket whose owner does not answer', () => {
  test('is replaced in one step, only if it is still the one at the path, and stays with the new owner', async () => {
    const silent = await own();
    const claims = await Promise.all([1, 2, 3].map(() => claimSocket(path, server(), silent.identity)));
    const [next, ...more] = claims.flatMap((claim) => (claim instanceof Socket ? [] : [claim]));
    expect(more).toEqual([]);
    for (const claim of claims) if (claim instanceof Socket) claim.destroy();
    expect([silent.isInPlace(), next?.isInPlace()]).toEqual([false, true]);
    silent.release();
    expect(next?.isInPlace()).toBe(true);
    expect(readdirSync(dirname(path))).toEqual(['a.sock']);
    expect(await isConnected()).toBe(true);
  });

  test('is not replaced if it belongs to another user', async () => {
    const { identity } = await own();
    disown(path);
    const fault = isRoot ? 'not-a-socket' : 'foreign-owner';
    await expect(claimSocket(path, server(), identity)).rejects.toMatchObject({ fault });
    expect(socketIdentity(path)).toBe(identity);
  });

  test('is known by the note of its owner, which does not speak for the socket of another program', async () => {
    const owned = await own();
    expect(socketOwner(path)).toBeUndefined();
    const removeNote = noteSocketOwner(path, owned.identity);
    expect(statSync(`${path}.owner`).mode & 0o777).toBe(0o600);
    expect(socketOwner(path)).toEqual({ pid: process.pid, socket: owned.identity, isStopped: false });
    unlinkSync(path);
    expect(socketOwner(path)).toBeUndefined();
    const next = await own();
    expect(socketOwner(path)).toBeUndefined();
    const removeNext = noteSocketOwner(path, next.identity);
    removeNote();
    expect(socketOwner(path)?.socket).toBe(next.identity);
    removeNext();
    expect(existsSync(`${path}.owner`)).toBe(false);
  });

  test.each([
    ['no JSON', 'x'],
    ['of no process', '{"socket":"1 2 3"}'],
    ['huge', 'x'.repeat(100_000)],
  ])('has no known owner if the note is %s', async (_what, text) => {
    await own();
    writeFileSync(`${path}.owner`, text);
    expect(socketOwner(path)).toBeUndefined();
  });
});

/** The most bytes that this system accepts. */
const mostBytes = process.platform === 'linux' ? 107 : 103;

/** The path of a socket in the folder with this many bytes. */
const longPath = (bytes: number): string => {
  const folder = dirname(path);
  return join(folder, 'x'.repeat(bytes - Buffer.byteLength(folder) - 1));
};

describe('a path that is too long for a socket', () => {
  test('is refused, and leaves nothing behind; one byte less is served', async () => {
    mkdirSync(dirname(path), { mode: 0o700 });
    path = longPath(mostBytes + 1);
    await expect(own()).rejects.toMatchObject({ fault: 'path-too-long' });
    expect(readdirSync(dirname(path))).toEqual([]);
    path = longPath(mostBytes);
    await own();
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
    expect(await isConnected()).toBe(true);
  });

  test('leads to no other socket, whose name it begins with, and gives it no token', async () => {
    mkdirSync(dirname(path), { mode: 0o700 });
    const cut = longPath(mostBytes);
    let connections = 0;
    (await listening(cut)).on('connection', () => connections++);
    await expect(connectToSocket(`${cut}xyz`)).rejects.toMatchObject({ fault: 'path-too-long' });
    expect(await probe(`${cut}xyz`)).toBe('unresponsive');
    expect(connections).toBe(0);
    expect(await probe(cut)).toBe('unresponsive');
    expect(connections).toBeGreaterThan(0);
  });
});

/** What the doctor finds at a socket that a lock file names. */
async function probe(socket: string): Promise<string> {
  const options = {
    address: { socket },
    token: 'secret',
    carrier: { kind: 'http' },
    timeoutMs: 5_000,
  } as const;
  return (await probeCompanion(options)).kind;
}

describe('a claim is refused', () => {
  test('when other programs are faster each time', async () => {
    await leaveDead();
    const dead = `${path}.dead`;
    renameSync(path, dead);
    let attempts = 0;
    const slow = server().on('listening', () => {
      attempts += 1;
      linkSync(dead, path);
    });
    await expect(claimSocket(path, slow)).rejects.toThrow('all the time');
    expect(attempts).toBeGreaterThan(10);
  });

  test('where something else is, which stays', async () => {
    mkdirSync(dirname(path), { mode: 0o700 });
    writeFileSync(path, 'not a socket');
    await expect(own()).rejects.toMatchObject({ fault: 'not-a-socket' });
    expect(readFileSync(path, 'utf8')).toBe('not a socket');
  });

  test('where a link leads to a socket', async () => {
    mkdirSync(dirname(path), { mode: 0o700 });
    await listening(`${path}.other`);
    symlinkSync(`${path}.other`, path);
    await expect(own()).rejects.toMatchObject({ fault: 'not-a-socket' });
  });

  test('in a folder of another user', async () => {
    mkdirSync(dirname(path), { mode: 0o700 });
    disown(dirname(path));
    await expect(own()).rejects.toMatchObject({ fault: 'foreign-owner' });
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test.each([
    ['of a program that listens', () => own()],
    ['of one that has ended', leaveDead],
  ])('at a socket of another user, %s: it is neither used nor removed', async (_what, make) => {
    await make();
    disown(path);
    await expect(connectToSocket(path)).rejects.toMatchObject({ fault: 'not-a-socket' });
    expect(await probe(path)).toBe('unresponsive');
    await expect(own()).rejects.toMatchObject({ fault: isRoot ? 'not-a-socket' : 'foreign-owner' });
    expect(existsSync(path)).toBe(true);
  });
});
