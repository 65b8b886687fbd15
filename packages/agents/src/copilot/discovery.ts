import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { isSocketPath, type Path } from '@tandem/core';
import { isRecord } from '../agentDiagnosis.js';
import type { AgentDiscovery, Served } from '../agentProtocol.js';
import type { Machine } from '../machine.js';

/**
 * The lock files `<uuid>.lock`, all for the same socket: one with the workspace's folders, and one for each folder inside
 * of them in which an agent was started, because the CLI connects by itself only where a folder equals its own. Each is
 * a file of its own: the CLI disconnects when its file is replaced. `isTrusted` is never written: with it, the CLI would
 * not ask the user whether it may trust the folder.
 */
export const discovery: AgentDiscovery = {
  files(served) {
    const { editor, machine, url: socketPath, token, startFolders = [] } = served;
    const entry = (name: string, workspaceFolders: readonly Path[]) => ({
      folder: join(copilotHome(machine), 'ide'),
      isOwnFolder: true,
      name: `${uuidOf(`${socketPath} ${name}`)}.lock`,
      namePattern: lockFileNames,
      credentials,
      content: {
        socketPath,
        scheme: machine.platform === 'win32' ? 'pipe' : 'unix',
        headers: { Authorization: `${scheme} ${token}` },
        pid: editor.info.pid,
        timestamp: Math.round(performance.timeOrigin),
        workspaceFolders,
        ideName: editor.info.displayName,
      },
    });
    return [entry('', editor.workspace.folders()), ...startFolders.map((folder) => entry(folder, [folder]))];
  },
  /** No variable selects a companion; this one moves the folder of its files. */
  environment: ({ machine }: Served): Readonly<Record<string, string>> =>
    machine.env.COPILOT_HOME ? { COPILOT_HOME: copilotHome(machine) } : {},
};

/** The scheme of the `Authorization` header. */
export const scheme = 'Nonce';

const lockFileNames = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.lock$/;

/** The socket and the token in the content of a lock file. */
export function credentials({ socketPath, headers }: Readonly<Record<string, unknown>>) {
  const authorization = isRecord(headers) ? headers.Authorization : undefined;
  const token = typeof authorization === 'string' ? /^Nonce (\S+)$/.exec(authorization)?.[1] : undefined;
  if (typeof socketPath !== 'string' || token === undefined) return undefined;
  return { token, scheme, address: { socket: socketPath } };
}

export function copilotHome({ env, home }: Machine): Path {
  return env.COPILOT_HOME ? resolve(env.COPILOT_HOME) : join(home, '.copilot');
}

/**
 * The possible sockets of the companion on this port, the preferred one first: the same ones after a restart, and no two
 * companions have the same. Another user can occupy the folders below a shared temporary folder, but not the last ones.
 */
export function socketPathsOf(machine: Machine, port: number): Path[] {
  const { platform, home, tmpdir, env } = machine;
  const owner = `tandem-${digest(home).slice(0, 12)}`;
  const name = `copilot-${port}`;
  if (platform === 'win32') return [`\\\\.\\pipe\\${owner}-${name}`];
  const folders = [
    join(tmpdir, owner),
    join('/tmp', `tandem-${digest(`${home} ${tmpdir}`).slice(0, 12)}`),
    ...(env.XDG_RUNTIME_DIR?.startsWith('/') ? [join(env.XDG_RUNTIME_DIR, owner)] : []),
    join(copilotHome(machine), 'tandem'),
  ];
  return folders.map((folder) => join(folder, `${name}.sock`)).filter((path) => isSocketPath(path, platform));
}

function uuidOf(text: string): string {
  return digest(text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
