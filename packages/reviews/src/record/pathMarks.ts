import {
  describeError,
  isInGitFolder,
  isWithin,
  type Logger,
  type Path,
  partsBelow,
  type SpecialFileNames,
  type SpecialFiles,
} from '@tandem/core';

/** Facts about the file of a proposal that the user should know before accepting. They do not block the proposal. */
export interface PathMarks {
  /** The file is outside all workspace folders. */
  readonly isOutsideWorkspace: boolean;
  /** Where the path leads by a link. */
  readonly leadsTo?: Path | undefined;
  /** The file is in a `.git` folder, or is one. Git runs programs that such files name. */
  readonly isInGitFolder?: boolean | undefined;
  /** It runs by itself or gives access, by its name. */
  readonly special?: Pick<SpecialFiles, 'kind' | 'text'> | undefined;
  /** The file is a program: its mode says so. */
  readonly isExecutable?: boolean | undefined;
  /** Why the file is hidden from the agent that proposes, in words for the user. */
  readonly heldBack?: string | undefined;
}

/** Copies only the marks of an object. */
export function marksOf(of: PathMarks): PathMarks {
  const { isOutsideWorkspace, leadsTo, isInGitFolder, special, isExecutable, heldBack } = of;
  return {
    isOutsideWorkspace,
    ...(leadsTo !== undefined && { leadsTo }),
    ...(isInGitFolder && { isInGitFolder }),
    ...(special !== undefined && { special: { kind: special.kind, text: special.text } }),
    ...(isExecutable && { isExecutable }),
    ...(heldBack !== undefined && { heldBack }),
  };
}

/** What `findMarks` needs from the companion. */
export interface MarkServices {
  readonly folders: () => readonly Path[];
  /** Resolves links, to judge a file by its real path; without it, by spelling. */
  readonly realPath?: (path: Path) => Promise<Path>;
  /** Looks at the file itself. Never rejects. `isInGitFolder`: a Git folder with another name. */
  readonly inspect?: (
    real: Path,
  ) => Promise<{ readonly isExecutable: boolean; readonly isInGitFolder: boolean }>;
  /** Why a path is hidden from an agent, in words for the user. Never rejects. Without it, no path is. */
  readonly heldBack?: (agent: string, path: Path) => Promise<string | undefined>;
  /** Without it, no file is special. */
  readonly specialFiles?: SpecialFileNames;
  readonly logger: Logger;
}

/** The facts about a path now, for the agent that proposes. A path that cannot be resolved counts as outside. */
export async function findMarks(
  { path, agent }: { readonly path: Path; readonly agent: string },
  services: MarkServices,
): Promise<PathMarks & { readonly realPath: Path }> {
  const { realPath, inspect, specialFiles, logger } = services;
  const spelled = services.folders();
  let [real, folders, isResolved] = [path, spelled, true];
  // In the same turn as what follows, so that both can share a file cache.
  const holdingBack = services.heldBack?.(agent, path);
  // It is awaited later, and may fail before that.
  void holdingBack?.catch(() => undefined);
  try {
    const resolve = async (each: Path): Promise<Path> => (await realPath?.(each)) ?? each;
    [real = path, ...folders] = await Promise.all([path, ...spelled].map(resolve));
  } catch (error) {
    isResolved = false;
    logger.warn('a path could not be resolved', { error: describeError(error) });
  }
  const [heldBack, found] = await Promise.all([holdingBack, isResolved ? inspect?.(real) : undefined]);
  const isOutsideWorkspace = !isResolved || !folders.some((folder) => isWithin(folder, real));
  const isLink = isResolved && isLeading(path, real, spelled, folders);
  const marks = marksOf({
    isOutsideWorkspace,
    ...(isLink && { leadsTo: real }),
    isInGitFolder: [path, real].some(isInGitFolder) || found?.isInGitFolder,
    special: specialFiles?.find(path) ?? specialFiles?.find(real),
    isExecutable: found?.isExecutable,
    heldBack,
  });
  return { ...marks, realPath: real };
}

/** Whether the path is a link, other than one to the workspace folder itself. */
function isLeading(path: Path, real: Path, spelled: readonly Path[], folders: readonly Path[]): boolean {
  if (real === path) return false;
  const isSame = (folder: Path, at: number): boolean => {
    const below = partsBelow(folder, path)?.join('/');
    return below !== undefined && below === partsBelow(folders[at] ?? folder, real)?.join('/');
  };
  return !spelled.some(isSame);
}
