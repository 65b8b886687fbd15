import type { Path } from './position.js';

/** Splits a path at both separators; a Windows drive stays as a first part such as `C:`. */
export function pathParts(path: Path): string[] {
  return path.split(/[\\/]+/).filter((part) => part !== '');
}

/**
 * The parts of `path` below `folder`, or `undefined` when it does not lie there. The folder itself gives an
 * empty list. Compares letters exactly, as real paths are compared.
 */
export function partsBelow(folder: Path, path: Path): string[] | undefined {
  const above = pathParts(folder);
  const parts = pathParts(path);
  if (parts.length < above.length || above.some((part, index) => part !== parts[index])) return undefined;
  return parts.slice(above.length);
}

/** Whether `path` is the folder or lies below it. */
export function isWithin(folder: Path, path: Path): boolean {
  return partsBelow(folder, path) !== undefined;
}

/** `folder` and `parts` put together with the separator that the folder uses. */
export function joinPath(folder: Path, ...parts: readonly string[]): Path {
  const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  const base = folder.replace(/[\\/]+$/, '');
  return [base, ...parts].join(separator) || separator;
}
