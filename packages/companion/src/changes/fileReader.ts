import { DocumentError, type Path } from '@tandem/core';
import { type FileContent, type HistoryEntry, textOf } from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import type { WorkspaceFiles } from '../files/workspaceFiles.js';
import { hasCopy } from '../reviews/entryChanges.js';
import type { History } from '../reviews/history.js';

/** How much is read for one request, in code units: the files may have grown since. */
const maxRead = 64 * 1024 * 1024;

/** Reads a file. Rejects with `DocumentError`, or with `RpcError` if one request reads too much. */
export type ReadFile = (path: Path) => Promise<FileContent>;

/** Reads each file once, up to a limit for all of them together. Of a file that was seen to change, no link is followed. */
export function fileReader({
  files,
  history,
}: {
  readonly files: WorkspaceFiles;
  readonly history: History;
}): ReadFile {
  const exact = new Set(history.entries.filter((entry) => entry.exact).map(({ path }) => path));
  let size = 0;
  const read = async (path: Path): Promise<FileContent> => {
    const content = await (exact.has(path) ? files.readExactly(path) : files.read(path));
    size += textOf(content).length;
    if (size <= maxRead) return content;
    throw new RpcError('refused', `These files have more than ${maxRead} characters together. Choose fewer.`);
  };
  const known = new Map<Path, Promise<FileContent>>();
  return (path) => {
    const content = known.get(path) ?? read(path);
    known.set(path, content);
    return content;
  };
}

/** What a file contains now. Without copies of its changes there is nothing to compare: it is not read. */
export async function nowOf(
  path: Path,
  entries: readonly HistoryEntry[],
  read: ReadFile,
): Promise<FileContent> {
  return entries.some(hasCopy) ? readOrBinary(path, read) : { kind: 'text', text: '' };
}

async function readOrBinary(path: Path, read: ReadFile): Promise<FileContent> {
  try {
    return await read(path);
  } catch (error) {
    // Such as a folder in place of the file: the other files are still shown.
    if (error instanceof DocumentError) return { kind: 'binary', size: 0 };
    throw error;
  }
}
