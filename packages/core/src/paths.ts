import type { Path } from './position.js';

/**
 * The names in an absolute path, `.` and `..` resolved; a Windows drive is a first part such as `C:`. In a path that
 * begins with `/`, only `/` separates, because a backslash may be part of a name; in all others, both separate.
 */
export function pathParts(path: Path): string[] {
  const parts: string[] = [];
  for (const part of path.split(separatorsOf(path))) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (!(parts.length === 1 && isDrive(parts[0]))) parts.pop();
  }
  return parts;
}

/**
 * The parts of `path` below `folder`, or `undefined` when it is not in the folder. The folder itself gives an empty
 * list. Case-sensitive, as for real paths, except the letter of a Windows drive, which editors write in either case.
 */
export function partsBelow(folder: Path, path: Path): string[] | undefined {
  const above = pathParts(folder);
  const parts = pathParts(path);
  if (parts.length < above.length || above.some((part, index) => !isSamePart(part, parts[index])))
    return undefined;
  return parts.slice(above.length);
}

/** Whether `path` is the folder or is below it. */
export function isWithin(folder: Path, path: Path): boolean {
  return partsBelow(folder, path) !== undefined;
}

/**
 * The path for users: below the innermost of these folders, with `/` on every system, and with the folder's name if there are
 * several. A path outside of them stays whole.
 */
export function labelIn(folders: readonly Path[], path: Path): string {
  const around = folders.filter((folder) => isWithin(folder, path)).sort((a, b) => b.length - a.length);
  const [folder] = around;
  if (folder === undefined) return path;
  const name = pathParts(folder).at(-1) ?? folder;
  const below = partsBelow(folder, path) ?? [];
  return (folders.length > 1 ? [name, ...below] : below).join('/') || name;
}

/**
 * Whether an editor may take the path for the name of a remote file, such as `/ssh:host:/etc/motd`, for which Emacs starts
 * programs: in some spelling its first name contains a colon and is not the drive of a Windows path.
 */
export function looksRemote(path: Path): boolean {
  let depth = 0;
  for (const part of path.split(separatorsOf(path))) {
    if (part === '' || part === '.') continue;
    if (depth === 0 && part.includes(':') && (path.startsWith('/') || !isDrive(part))) return true;
    depth = part === '..' ? Math.max(0, depth - 1) : depth + 1;
  }
  return false;
}

/** Joins `folder` and `parts` with the separator that the folder uses. */
export function joinPath(folder: Path, ...parts: readonly string[]): Path {
  const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  const base = folder.replace(separatorsOf(folder) === '/' ? /\/+$/ : /[\\/]+$/, '');
  return [base, ...parts].join(separator) || separator;
}

/**
 * An absolute path without `.`, `..` and repeated separators, as agents write it: by its spelling, whatever exists. The system
 * finds nothing at `/w/missing/../a.txt`, although `/w/a.txt` may exist.
 */
export function normalPath(path: Path): Path {
  const separator = separatorsOf(path);
  const names = path.split(separator);
  // The first is empty or a drive; a share of Windows begins with two separators.
  const start = separator === '/' || names[0] !== '' ? 1 : 2;
  if (!names.slice(start).some((name) => name === '' || name === '.' || name === '..')) return path;
  if (separator === '/') return `/${pathParts(path).join('/')}`;
  const [root = '', ...parts] = pathParts(path);
  if (isDrive(root)) return `${root}\\${parts.join('\\')}`;
  return `${names[0] === '' ? '\\\\' : ''}${[root, ...parts].join('\\')}`;
}

/** The parent folder of a path, by its spelling. The root of a file system is its own parent. */
export function parentPath(path: Path): Path {
  const above = path.replace(separatorsOf(path) === '/' ? /\/+[^/]*\/*$/ : /[\\/]+[^\\/]*[\\/]*$/, '');
  if (above === '') return '/';
  return isDrive(above) ? `${above}\\` : above;
}

function separatorsOf(path: Path): '/' | RegExp {
  return path.startsWith('/') ? '/' : /[\\/]/;
}

function isSamePart(one: string, other: string | undefined): boolean {
  return one === other || (isDrive(one) && isDrive(other) && one.toLowerCase() === other?.toLowerCase());
}

function isDrive(part: string | undefined): boolean {
  return part !== undefined && /^[A-Za-z]:$/.test(part);
}
