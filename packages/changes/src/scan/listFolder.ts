import { type Dirent, readdirSync } from 'node:fs';
import { errorCode, type Path } from '@tandem/core';

/** The names in a folder. */
export interface Listing {
  readonly entries: readonly Dirent[];
  /** How many names are not UTF-8. They are left out. */
  readonly oddNames: number;
}

/** The names in a folder; `gone` if there is no such folder, `refused` if it cannot be listed. */
export function listFolder(path: Path): Listing | 'gone' | 'refused' {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    if (!entries.some(({ name }) => name.includes('\uFFFD'))) return { entries, oddNames: 0 };
    const exact = new Set(readdirSync(path, 'buffer').map((name) => name.toString('latin1')));
    const isExact = ({ name }: Dirent): boolean => exact.has(Buffer.from(name).toString('latin1'));
    const readable = entries.filter(isExact);
    return { entries: readable, oddNames: entries.length - readable.length };
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'gone' : 'refused';
  }
}
