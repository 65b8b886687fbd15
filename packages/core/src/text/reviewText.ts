import { toDocumentText } from './documentText.js';

/** The text of a review as an editor shows it. In a review, all leading U+FEFF are byte order marks. */
export function toReviewText(text: string): string {
  return toDocumentText(text).replace(/^\uFEFF+/, '');
}

/** Whether two texts of a review have the same lines. A final newline does not count: `Review.edit` restores it. */
export function hasSameLines(one: string, other: string): boolean {
  return withoutFinalEnd(one) === withoutFinalEnd(other);
}

/** A single line end stays: it is an empty line. */
function withoutFinalEnd(text: string): string {
  const body = text.replace(/^\uFEFF+/, '');
  return body.length > 1 && body.endsWith('\n') ? body.slice(0, -1) : body;
}
