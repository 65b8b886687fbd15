import { lstat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isWithin, messageOf, type Path } from '@tandem/core';
import type { Editor } from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import { onDisk } from './diskGate.js';
import { type CopyOf, linkIn, modeOf, type Writing } from './exactContent.js';
import type { WriteConditions } from './userFile/writeUserFile.js';
import type { WorkspaceFiles } from './workspaceFiles.js';
import { isWriteProtected } from './writeProtection.js';

/**
 * Writes a file, as UTF-8 or with these bytes, or removes it if there is no text. Rejects with a message for the user.
 * `writeUserFile` does it.
 */
export type WriteFile = (
  path: Path,
  text: string | Buffer | undefined,
  conditions: WriteConditions,
) => Promise<void>;

/** Writes files of the workspace at the user's request. Rejects with `RpcError`. */
export class WorkspaceWriter {
  readonly #of: { readonly editor: Editor; readonly files: WorkspaceFiles; readonly writeFile?: WriteFile };

  constructor(of: {
    readonly editor: Editor;
    readonly files: WorkspaceFiles;
    readonly writeFile?: WriteFile;
  }) {
    this.#of = of;
  }

  /**
   * Rejects if the host writes no files, if the file is outside the workspace or read-only, or if the editor has unsaved changes
   * to it. `writing`: what is to be written; it may make a file writable again, or replace a link.
   */
  async requireWritable(path: Path, writing?: Writing): Promise<void> {
    const { editor, files, writeFile } = this.#of;
    if (writeFile === undefined) {
      throw new RpcError(
        'refused',
        `${editor.info.displayName} cannot write files. Change ${path} yourself.`,
      );
    }
    const isLink = writing !== undefined && linkIn(writing.basis) !== undefined;
    const real = isLink
      ? join(await files.realPath(dirname(path)), basename(path))
      : await files.realPath(path);
    const folders = await this.#realFolders();
    if (!folders.some((folder) => isWithin(folder, real))) {
      throw new RpcError(
        'refused',
        `${path} is outside the workspace folders, and Tandem writes only inside them. Change it yourself.`,
      );
    }
    const stats = await onDisk(real, () => lstat(real).catch(() => undefined));
    const isMadeWritable = writing !== undefined && ((modeOf(writing.content) ?? 0) & 0o222) !== 0;
    if (stats?.isFile() && !isMadeWritable && (await isWriteProtected(real, stats))) {
      throw new RpcError('refused', `${path} is read-only. Make it writable, or change it yourself.`);
    }
    if (await isUnsaved(editor, files, path)) {
      throw new RpcError(
        'refused',
        `${path} has unsaved changes in ${editor.info.displayName}. Save or revert it first.`,
      );
    }
  }

  /**
   * Writes a content, or removes the file if there is none. Rejects if the file no longer has the content that it was made from.
   * `copyOf`: the bytes with a SHA-256, of what is not text.
   */
  async write(path: Path, { content, basis }: Writing, copyOf?: CopyOf): Promise<void> {
    const { prepareWriting } = await import('./prepareWriting.js');
    const { bytes, ...conditions } = await prepareWriting(path, { content, basis }, { ...this.#of, copyOf });
    try {
      await this.#of.writeFile?.(path, bytes, {
        ...conditions,
        within: await this.#realFolders(),
      });
    } catch (cause) {
      throw new RpcError('refused', messageOf(cause), { cause });
    }
  }

  #realFolders(): Promise<Path[]> {
    const { editor, files } = this.#of;
    return Promise.all(editor.workspace.folders().map((folder) => files.realPath(folder)));
  }
}

/** Whether the editor has unsaved changes to the file, under this path or under that of its target. */
export async function isUnsaved(editor: Editor, files: WorkspaceFiles, path: Path): Promise<boolean> {
  return (await unsavedNames(editor, files, path)).length > 0;
}

/** Saves them. Resolves to whether there are none any more. */
export async function saveUnsaved(editor: Editor, files: WorkspaceFiles, path: Path): Promise<boolean> {
  for (const name of await unsavedNames(editor, files, path)) await editor.documents.save(name);
  return !(await isUnsaved(editor, files, path));
}

async function unsavedNames(editor: Editor, files: WorkspaceFiles, path: Path): Promise<Path[]> {
  const real = await files.realPath(path).catch(() => path);
  return [...new Set([path, real])].filter((each) => editor.documents.state(each)?.isDirty === true);
}
