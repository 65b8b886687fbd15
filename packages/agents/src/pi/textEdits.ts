import type { Path } from '@tandem/core';
import { splitBom } from '@tandem/reviews';
import type { FileEdit, StringEdit } from '../hooks/fileEdit.js';

/**
 * The tool `edit` of pi 1.6: finds each text in the file as it was, and leaves the bytes of all other lines. Undefined also where pi
 * would look for similar text.
 */
export function textEdits(path: Path, edits: readonly StringEdit[]): FileEdit {
  return {
    path,
    apply(file) {
      if (file === undefined) return undefined;
      const { bom, body } = splitBom(file);
      const places = edits
        .map((edit) => placeOf(edit, withLineFeeds(body)))
        .toSorted((one, other) => (one?.at ?? 0) - (other?.at ?? 0));
      let changed = '';
      let from = 0;
      for (const place of places) {
        const start = place === undefined ? -1 : inBody(body, place.at);
        if (place === undefined || start < from) return undefined;
        const end = lineEndAt(body, start);
        changed = joined(joined(changed, body.slice(from, start)), place.after.replaceAll('\n', end));
        from = inBody(body, place.at + place.length);
      }
      return bom + joined(changed, body.slice(from));
    },
  };
}

interface Place {
  readonly at: number;
  readonly length: number;
  /** What replaces it, with LF. */
  readonly after: string;
}

/** Where it is in a text with LF. It must also be the only text there that is similar. */
function placeOf({ before, after }: StringEdit, text: string): Place | undefined {
  const wanted = withLineFeeds(before);
  const at = text.indexOf(wanted);
  if (wanted === '' || at === -1 || simplified(text).split(simplified(wanted)).length > 2) return undefined;
  return { at, length: wanted.length, after: withLineFeeds(after) };
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Where a place of the text with LF is in the text as it is. Only CRLF has another length. */
function inBody(body: string, at: number): number {
  let found = at;
  for (let end = body.indexOf('\r\n'); end !== -1 && end < found; end = body.indexOf('\r\n', end + 2))
    found += 1;
  return found;
}

/** The line end of the line at a place, or of the line before if the last one has none. */
function lineEndAt(body: string, at: number): string {
  const next = body.indexOf('\n', at);
  const end = next === -1 ? body.lastIndexOf('\n', at) : next;
  if (end === -1) return body.includes('\r') ? '\r' : '\n';
  return body[end - 1] === '\r' ? '\r\n' : '\n';
}

/** Both parts, whose line ends must not become one. */
function joined(before: string, after: string): string {
  return before.endsWith('\r') && after.startsWith('\n') ? `${before}\n${after}` : before + after;
}

/** As pi compares similar texts. */
function simplified(text: string): string {
  return text
    .normalize('NFKC')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ');
}
