import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Separate folders, so that no real agent finds the measured companions. The caller removes them. */
export interface Scratch {
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

export function createScratch(): Scratch {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tandem-bench-')));
  const folder = (name: string): string => {
    const path = join(root, name);
    mkdirSync(path);
    return path;
  };
  const env = { HOME: folder('home'), TMPDIR: folder('tmp'), XDG_STATE_HOME: folder('state') };
  return {
    workspace: folder('workspace'),
    env: { PATH: process.env.PATH ?? '', ...env },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
