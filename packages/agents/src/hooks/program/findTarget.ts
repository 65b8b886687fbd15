import { readdirSync, readFileSync, realpathSync, statSync, utimesSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type HookTarget, pause } from './callCompanion.js';
import { hookVariables } from './hookVariables.js';

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

/** Where companions announce themselves. The program that contains this is in `hooks/VERSION` beside it. */
const companionsFolder = fileURLToPath(new URL('../../companions', import.meta.url));

/** Where hooks call that `tandem run` has injected. */
export function injectedTarget(env: Readonly<Record<string, string | undefined>> = process.env): HookTarget {
  return {
    port: Number(env[hookVariables.port]),
    token: env[hookVariables.token] ?? '',
    proves: env[hookVariables.proves] === '1',
  };
}

/** The companion for a folder, also one that starts within the limit, in milliseconds. Undefined if there is none. */
export async function findCompanion(folder: string, limitMs: number): Promise<HookTarget | undefined> {
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    const target = findTarget(companionsFolder, folder);
    if (target !== undefined || performance.now() >= giveUpAt) return target;
    await pause();
  }
}

/** Whether a hook applies in a folder. `chosen`: the real folders for which it was added; empty if for each. */
export function isChosen(chosen: readonly string[], folder: string): boolean {
  return chosen.length === 0 || chosen.some((each) => isBelow(each, folder));
}

/** Notes that the program is used: versions that are not are removed later. */
export function markUsed(): void {
  const now = new Date();
  try {
    utimesSync(new URL('.', import.meta.url), now, now);
  } catch {
    // It was removed meanwhile.
  }
}

/** Whether a folder is the other one or inside it, by their names. */
function isBelow(folder: string, inner: string): boolean {
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
    const content = JSON.parse(readFileSync(file, 'utf8'));
    const { agentPort: port, hookToken: token, workspaceFolders, provesHooks } = content;
    const around = workspaceFolders.filter((each: string) => isBelow(each, folder));
    const depth = Math.max(...around.map(({ length }: string) => length));
    return around.length > 0 && typeof token === 'string' && port > 0
      ? { port, token, proves: provesHooks === true, depth }
      : undefined;
  } catch {
    return undefined;
  }
}
