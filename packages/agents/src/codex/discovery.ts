import { join } from 'node:path';
import type { Path } from '@tandem/core';
import type { AgentDiscovery } from '../agentProtocol.js';
import type { Machine } from '../machine.js';

/** Codex CLI looks for one socket, whose path is always the same. There are no files and no variables. */
export const discovery: AgentDiscovery = {
  files: () => [],
  environment: () => ({}),
};

/** Its folder: `CODEX_HOME`, by default `~/.codex`. */
export function codexHome({ env, home }: Machine): Path {
  return env.CODEX_HOME || join(home, '.codex');
}

/** The socket that all companions of a user share; on Windows, a named pipe. */
export function socketPath(machine: Machine): Path {
  return machine.platform === 'win32'
    ? '\\\\.\\pipe\\codex-ipc'
    : join(codexHome(machine), 'ipc', 'ipc.sock');
}
