import { join } from 'node:path';
import type { Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';

/**
 * Where Tandem keeps what outlives a process: `$XDG_STATE_HOME/tandem`, by default `~/.local/state/tandem`; on
 * Windows `%LOCALAPPDATA%\tandem`. A relative `XDG_STATE_HOME` is ignored, as its specification says.
 */
export function stateFolder(machine: Machine): Path {
  const { env, home, platform } = machine;
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'tandem');
  const configured = env.XDG_STATE_HOME;
  return join(configured?.startsWith('/') ? configured : join(home, '.local', 'state'), 'tandem');
}
