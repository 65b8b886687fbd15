import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { HookTarget } from './callCompanion.js';

/**
 * The companion for a folder, by the files in which companions announce themselves to this user: the one with the innermost
 * folder around it, and of several the one used last. Undefined if there is none. `companions`: the folder of these files.
 */
export function findTarget(companions: string, folder: string): HookTarget | undefined {
  const found = namesIn(companions).flatMap((name) => {
    const file = join(companions, name);
    const target = readTarget(file, realpathSync(folder));
    return target === undefined
      ? []
      : [{ ...target, usedAt: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }];
  });
  const [best] = found.sort((one, other) => other.depth - one.depth || other.usedAt - one.usedAt);
  return best;
}

/** Whether a folder is the other one or inside it, by their names. */
export function isBelow(folder: string, inner: string): boolean {
  const path = relative(folder, inner);
  return path !== '..' && !path.startsWith('../') && !isAbsolute(path);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

function readTarget(file: string, folder: string): (HookTarget & { readonly depth: number }) | undefined {
  try {
    const { agentPort: port, hookToken: token, workspaceFolders } = JSON.parse(readFileSync(file, 'utf8'));
    const around = workspaceFolders.filter((each: string) => isBelow(each, folder));
    const depth = Math.max(...around.map(({ length }: string) => length));
    return around.length > 0 && typeof token === 'string' && port > 0 ? { port, token, depth } : undefined;
  } catch {
    return undefined;
  }
}
