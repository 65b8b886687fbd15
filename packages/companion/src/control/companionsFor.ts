import { realpathSync } from 'node:fs';
import { isWithin, type Path, pathParts } from '@tandem/core';
import type { FoundCompanion } from './findCompanions.js';

type Served = Pick<FoundCompanion, 'workspaceFolders'>;

/**
 * The companions that a command in `near` may mean, the one used last at the end: that of the terminal, if it serves the path;
 * otherwise those with the deepest folder that contains the path; otherwise again that of the terminal. `terminal` is the value of
 * `portVariable` there.
 */
export function companionsFor<C extends Served & Pick<FoundCompanion, 'agentPort'>>(
  running: readonly C[],
  near: Path,
  terminal: string | undefined,
): readonly C[] {
  const path = realPathOf(near);
  const ofTerminal = running.filter(({ agentPort }) => String(agentPort) === terminal);
  const around = innermost(running, path);
  if (ofTerminal.some((companion) => around.length === 0 || depthAround(companion, path) > 0))
    return ofTerminal;
  return around;
}

function innermost<C extends Served>(running: readonly C[], path: Path): readonly C[] {
  const depths = running.map((companion) => ({ companion, depth: depthAround(companion, path) }));
  const deepest = Math.max(0, ...depths.map(({ depth }) => depth));
  return depths.filter(({ depth }) => depth > 0 && depth === deepest).map(({ companion }) => companion);
}

/** The real path, or the path unchanged if it does not exist. */
function realPathOf(path: Path): Path {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The number of parts of the innermost folder that contains the path, plus one; 0 if no folder contains it. */
function depthAround({ workspaceFolders }: Served, path: Path): number {
  const around = workspaceFolders.filter((folder) => isWithin(folder, path));
  return Math.max(0, ...around.map((folder) => pathParts(folder).length + 1));
}
