import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { basename } from 'node:path';

/**
 * Whether the other end of a connection on 127.0.0.1 belongs to a process of this user whose program has such a name. Linux
 * only; false if unknown. A program can have any name, so this must not grant anything.
 */
export async function isPeerProgram(name: RegExp, connection: Connection): Promise<boolean> {
  return (await findPeers(connection, (pid) => runs(name, pid))).length > 0;
}

/** The process at the other end of such a connection. Undefined if it is unknown, or if several have the connection. */
export async function findPeerProcess(connection: Connection): Promise<number | undefined> {
  const [pid, ...others] = await findPeers(connection, () => true);
  return others.length > 0 ? undefined : pid;
}

/** Our end of a TCP connection. */
export type Connection = Pick<Socket, 'localPort' | 'remotePort'>;

async function findPeers(
  { localPort, remotePort }: Connection,
  isCandidate: (pid: string) => boolean,
): Promise<readonly number[]> {
  if (process.platform !== 'linux' || localPort === undefined || remotePort === undefined) return [];
  try {
    const candidates = (await readdir('/proc')).filter((pid) => /^\d+$/.test(pid) && isCandidate(pid));
    const inode = candidates.length > 0 ? inodeOf(remotePort, localPort) : undefined;
    if (inode === undefined) return [];
    const held = await Promise.all(candidates.map((pid) => holds(pid, `socket:[${inode}]`)));
    return candidates.filter((_, at) => held[at]).map(Number);
  } catch {
    return [];
  }
}

function runs(name: RegExp, pid: string): boolean {
  try {
    return name.test(basename(readlinkSync(`/proc/${pid}/exe`)));
  } catch {
    return false;
  }
}

/** The inode of the socket that is bound to one port of 127.0.0.1 and connected to the other. */
function inodeOf(port: number, peerPort: number): string | undefined {
  const [local, remote] = [port, peerPort].map(
    (each) => `0100007F:${each.toString(16).toUpperCase().padStart(4, '0')}`,
  );
  const rows = readFileSync('/proc/net/tcp', 'latin1').split('\n');
  const row = rows
    .map((each) => each.trim().split(/\s+/))
    .find((each) => each[1] === local && each[2] === remote);
  return row?.[9];
}

async function holds(pid: string, socket: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const files = await readdir(folder).catch(() => []);
  const targets = await Promise.all(files.map((file) => readlink(`${folder}/${file}`).catch(() => '')));
  return targets.includes(socket);
}
