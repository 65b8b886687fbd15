/**
 * The longest prefix of at most `maxBytes` bytes in UTF-8 that ends between two user-perceived characters:
 * never inside a surrogate pair, between a letter and its combining marks, inside a joined emoji, or inside CRLF.
 * Empty when the first character is already longer.
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

/** Shortens a text to `maxLength` code points, with an ellipsis at the end. For labels, not for documents. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Slices first, so that a very long text is not split into code points.
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
 * The start of the character that contains the code point at `at`. The segmenter copies its input, so it gets no more
 * than it needs: from the nearest certain boundary before `at`, up to the code point itself. The rules of UAX #29 look
 * no further ahead.
 */
function characterStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && !isCertainBoundary(text, start)) start--;
  if (start === at) return at;
  const nearby = text.slice(start, at + unitsAt(text, at));
  const segment = new Intl.Segmenter('und', { granularity: 'grapheme' })
    .segment(nearby)
    .containing(at - start);
  return start + (segment?.index ?? 0);
}

/**
 * Letters, digits and signs that never combine with each other: ASCII, Latin, Greek, Cyrillic, kana, CJK
 * ideographs, whole Hangul syllables. None of them combines with the character before or after it.
 */
const SELF_CONTAINED =
  /^[ -~\u00C0-\u024F\u0370-\u03FF\u0400-\u0482\u048A-\u052F\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FFF\uAC00-\uD7A3]{2}$/;

function isCertainBoundary(text: string, at: number): boolean {
  if (text[at - 1] === '\n') return true;
  return SELF_CONTAINED.test(text.slice(at - 1, at + 1));
}
