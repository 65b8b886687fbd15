import { encodeText, expectContent } from '@tandem/companion/files';
import { writeUserFile } from '@tandem/companion/userFile';
import type { Path } from '@tandem/core';
import { encodingOf, inFileForm, type Review } from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import { type DiskFile, readDiskFile } from '../editor/diskFile.js';
import type { WorkspacePaths } from './workspacePaths.js';

/**
 * Writes the user's text of a review to its file after the review ended without being accepted: the agent no longer
 * writes it. Creates missing folders. If it rejects, with `RpcError` or as `requireConsent`, it has written nothing.
 */
export async function saveReview(
  review: Review,
  content: string,
  paths: WorkspacePaths,
  requireConsent: () => Promise<void>,
): Promise<void> {
  if (review.state === 'pending') {
    throw new RpcError(
      'refused',
      `Review ${review.id} is pending. Accept it, and the agent writes the file.`,
    );
  }
  if (review.state === 'accepted') {
    throw new RpcError('already-decided', `Review ${review.id} was accepted: the agent writes the file.`);
  }
  const path = await requireInside(review.proposal.path, paths);
  const found = await readDiskFile(path);
  if (found.kind === 'binary' || found.kind === 'too-large') {
    throw new RpcError(
      'refused',
      `${path} is too large or binary, so it cannot be saved from here. Copy the text instead.`,
    );
  }
  if (found.kind === 'text' && found.isReadOnly) {
    throw new RpcError('refused', `${path} is read-only. Make it writable, or copy the text.`);
  }
  if (!isExpected(found, review, content)) {
    throw new RpcError(
      'conflict',
      `${path} has changed since the proposal. Copy the text, and edit the file yourself.`,
    );
  }
  await requireConsent();
  const encoding = found.kind === 'text' ? found.encoding : encodingOf(review.original);
  const bytes = await encodeText(inFileForm(content, modelOf(found, review)), encoding);
  await writeUserFile(path, bytes, {
    isExpected: await expectContent(found),
    within: paths.folders().map((folder) => folder.path),
  });
}

async function requireInside(path: Path, paths: WorkspacePaths): Promise<Path> {
  if (await paths.isInside(path)) return path;
  throw new RpcError(
    'forbidden',
    `${path} lies outside the workspace folders and cannot be written from here. Copy the text instead.`,
  );
}

/**
 * Only content that the user saw may be overwritten: the file as it was, the proposal, accepted in the terminal, or the
 * saved text itself: Gemini CLI writes the text it receives when it closes the review, which is the user's text.
 */
function isExpected(found: DiskFile, { original, proposal }: Review, content: string): boolean {
  if (found.kind !== 'text') return true;
  const known = [content, proposal.content, ...(original.kind === 'text' ? [original.text] : [])];
  return known.some((text) => linesOf(text) === linesOf(found.text));
}

function linesOf(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '');
}

/** The text whose form the saved text gets: the file, or the proposal for a new or empty file. */
function modelOf(found: DiskFile, { proposal }: Review): string {
  return found.kind === 'text' && found.text !== '' ? found.text : proposal.content;
}
