/**
 * The longest prefix of at most `maxBytes` bytes in UTF-8 that ends between two characters as a reader sees them:
 * never inside a surrogate pair, between a letter and its combining marks, inside a joined emoji, or inside CRLF.
 * Empty when already the first character is longer.
 */
export function truncateToBytes(text: string, maxBytes: number): string {
  let cut = 0;
  let bytes = 0;
  while (cut < text.length) {
    bytes += bytesAt(text, cut);
    if (bytes > maxBytes) return text.slice(0, characterStart(text, cut));
    cut += unitsAt(text, cut);
  }
  return text;
}

/** A text of at most so many code points; an ellipsis stands for what is left out. For a label, not for a document. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // What lies behind is not taken apart, however long it is.
  const points = [...text.slice(0, 2 * maxLength + 1)];
  return points.length <= maxLength ? text : `${points.slice(0, maxLength - 1).join('')}\u2026`;
}

/** The length in bytes when encoded as UTF-8. A lone surrogate counts 3, as the U+FFFD that encoders write for it. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += unitsAt(text, at)) bytes += bytesAt(text, at);
  return bytes;
}

function bytesAt(text: string, at: number): number {
  const codePoint = text.codePointAt(at) ?? 0;
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) < 0x10000 ? 1 : 2;
}

/**
 * Where the character begins to which the code point at `at` belongs. The segmenter copies what it is given, so it
 * gets no more than it needs: from the nearest place before that is a boundary for certain, to the code point itself.
 * The rules of UAX #29 look no further ahead.
 */
function characterStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && !isCertainBoundary(text, start)) start--;
  if (start === at) return at;
  const stretch = text.slice(start, at + unitsAt(text, at));
  const segment = new Intl.Segmenter('und', { granularity: 'grapheme' })
    .segment(stretch)
    .containing(at - start);
  return start + (segment?.index ?? 0);
}

/**
 * Letters, digits and signs that join with none of their own kind: ASCII, Latin, Greek, Cyrillic, kana, CJK
 * ideographs, whole Hangul syllables. None of them extends what stands before it or waits for what follows.
 */
const SELF_CONTAINED =
  /^[ -~\u00C0-\u024F\u0370-\u03FF\u0400-\u0482\u048A-\u052F\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FFF\uAC00-\uD7A3]{2}$/;

function isCertainBoundary(text: string, at: number): boolean {
  if (text[at - 1] === '\n') return true;
  return SELF_CONTAINED.test(text.slice(at - 1, at + 1));
}
