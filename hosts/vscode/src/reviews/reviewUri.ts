import type { Path } from '@tandem/core';
import * as vscode from 'vscode';

/** Scheme of the documents that a review is shown in. */
export const reviewScheme = 'tandem-review';

/**
 * The document of a proposal. It has the file's own path, so that breadcrumbs, icons and languages are the file's; the
 * query tells two reviews of one file apart.
 */
export function proposalUri(key: string, path: Path): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: reviewScheme, query: `review=${key}` });
}

/** The other side, for a file that VS Code cannot show from the disk: one that does not exist yet, or is no text. */
export function standInUri(key: string, path: Path): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: reviewScheme, query: `file=${key}` });
}

/** Which review a document is the proposal of. */
export function reviewKeyOf(uri: vscode.Uri): string | undefined {
  if (uri.scheme !== reviewScheme) return undefined;
  return /^review=(.+)$/.exec(uri.query)?.[1];
}
