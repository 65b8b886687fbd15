import { join } from 'node:path';
import { type Path, partsBelow } from '@tandem/core';
import { type Editor, encodingOf, type FileContent, isSameContent } from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import { encodeText, expectContent } from './encodedText.js';
import { type CopyOf, hashIn, isExact, linkIn, modeOf, type Writing } from './exactContent.js';
import type { ExactPath, WriteConditions } from './userFile/writeUserFile.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

interface Services {
  readonly editor: Editor;
  readonly files: WorkspaceFiles;
  readonly copyOf: CopyOf | undefined;
}

/** What to write, and on which conditions. Rejects with `RpcError` if a copy is lost, or an encoding lacks a character. */
export async function prepareWriting(
  path: Path,
  { content, basis }: Writing,
  of: Services,
): Promise<WriteConditions & { readonly bytes: string | Buffer | undefined }> {
  const exactly = await exactPath(path, { content, basis }, of);
  const mode = modeOf(content);
  return {
    bytes: exactly?.fromMode === undefined ? await bytesOf(path, content, of.copyOf) : undefined,
    isExpected: await expectContent(basis),
    ...(mode !== undefined && mode !== modeOf(basis) && { mode }),
    ...(exactly && { exactly }),
  };
}

/** How to write where links do not count; undefined if they do. */
async function exactPath(
  path: Path,
  { content, basis }: Writing,
  { editor, files }: Services,
): Promise<ExactPath | undefined> {
  if (!isExact(content) && !isExact(basis)) return undefined;
  for (const named of editor.workspace.folders()) {
    const parts = partsBelow(named, path);
    if (parts === undefined) continue;
    const folder = join(await files.realPath(named), ...parts.slice(0, -1));
    const [link, newLink, fromMode] = [linkIn(basis), linkIn(content), modeOf(basis)];
    const isOnlyMode = isSameContent(content, basis) && modeOf(content) !== undefined;
    return {
      folder,
      ...(link !== undefined && { link }),
      ...(newLink !== undefined && { newLink }),
      ...(isOnlyMode && fromMode !== undefined && { fromMode }),
    };
  }
  return undefined;
}

async function bytesOf(
  path: Path,
  content: FileContent,
  copyOf: CopyOf | undefined,
): Promise<string | Buffer | undefined> {
  const hash = hashIn(content);
  if (hash !== undefined) {
    const bytes = await copyOf?.(hash);
    if (bytes === undefined) throw new RpcError('refused', `${path} cannot be written: its copy is lost.`);
    return bytes;
  }
  if (content.kind !== 'text') return undefined;
  const encoding = encodingOf(content);
  return encoding === undefined ? content.text : encodeText(content.text, encoding);
}
