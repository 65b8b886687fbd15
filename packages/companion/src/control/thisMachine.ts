import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';

/** How the user of this process runs the command: with npx if npm started it, as in a checkout. */
export const commandName = process.env.npm_command === undefined ? 'tandem' : 'npx tandem';

/** The machine and user of this process. Read at call time: tests and terminals set these variables. */
export function thisMachine(): Machine {
  return {
    platform: process.platform,
    home: homedir(),
    tmpdir: tmpdir(),
    env: { ...process.env },
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
  };
}

/**
 * Where Tandem keeps what outlives a process: `$XDG_STATE_HOME/tandem`, by default `~/.local/state/tandem`; on
 * Windows `%LOCALAPPDATA%\tandem`. A relative `XDG_STATE_HOME` is ignored, as its specification requires.
 */
export function stateFolder(machine: Machine): Path {
  const { env, home, platform } = machine;
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'tandem');
  const configured = env.XDG_STATE_HOME;
  return join(configured?.startsWith('/') ? configured : join(home, '.local', 'state'), 'tandem');
}
