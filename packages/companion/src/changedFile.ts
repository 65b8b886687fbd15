import type { HostFiles } from '@tandem/agents';
import { DocumentError, type FileContent, mergeText, type Review, toDocumentText } from '@tandem/core';

/**
 * What came into the file of a review since it was proposed, and would be undone by accepting it with this text: a text
 * that has taken the change in undoes nothing. Undefined where nothing would be, and where the file cannot be read: its
 * agent will say what it thinks of that.
 */
export async function findUndone(
  { original, proposal: { path } }: Review,
  content: string,
  files: Pick<HostFiles, 'read'>,
): Promise<'changed' | 'deleted' | undefined> {
  if (original.kind === 'binary') return undefined;
  const file = await readIfPossible(path, files);
  if (file === undefined) return undefined;
  if (file.kind === 'missing') return original.kind === 'missing' ? undefined : 'deleted';
  if (file.kind === 'binary') return 'changed';
  // By their lines: an agent that rewrites the line ends of a file it is about to propose to has changed nothing.
  const base = original.kind === 'text' ? toDocumentText(original.text) : '';
  const [mine, theirs] = [toDocumentText(content), toDocumentText(file.text)];
  if (theirs === base) return undefined;
  const merged = mergeText(base, mine, theirs);
  return merged.ok && merged.text === mine ? undefined : 'changed';
}

async function readIfPossible(
  path: string,
  files: Pick<HostFiles, 'read'>,
): Promise<FileContent | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}
