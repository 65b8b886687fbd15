import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import type { Machine } from '@tandem/agents';

/** The machine and user this process runs as. Read at call time: tests and terminals set these variables. */
export function thisMachine(): Machine {
  return {
    platform: process.platform,
    home: homedir(),
    tmpdir: tmpdir(),
    env: { ...process.env },
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
  };
}
