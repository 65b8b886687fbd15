import { inFileForm } from './documentText.js';
import { describeExactDifferences, type ExactDifferences } from './hunks.js';
import { describeLineEnds, dominantLineEnd, type LineEndKind, splitBom } from './lines.js';
import { encodingOf, type FileContent, textOf } from './mergeWithFile.js';

/** How an agent writes an accepted text over a file, where it does not write it as it is. Plain data, measured. */
export interface AgentWriting {
  /**
   * When it writes each `\n` as CRLF: if the file has CRLF anywhere, or in most of its lines. `file`: as in `inFileForm`,
   * which also keeps the byte order mark.
   */
  readonly lineEnds?: 'anyCrlf' | 'mostlyCrlf' | 'file';
  /** It writes line ends as they are if it overwrites the whole file. A proposal does not say whether it does. */
  readonly overwritesLineEnds?: boolean;
  /** It keeps the byte order mark of the file, also if the text has none. */
  readonly keepsBom?: boolean;
  /**
   * What it does with a file that is not UTF-8, by the name of its encoding as `encodingName` gives it; `other` is for all others. It keeps the
   * encoding, or refuses to write the file. Otherwise it replaces the encoding by UTF-8.
   */
  readonly encodings?: Readonly<Record<string, 'kept' | 'refused' | 'replaced'>>;
}

/** What a diff does not show of what an agent will write. */
export interface WrittenDifferences extends ExactDifferences {
  /** The line ends if the agent overwrites the whole file, where they are others than if it edits it. */
  readonly overwritten?: LineEndKind;
}

/** The text that the file holds after its agent has written `text` over `original`. */
export function writtenText(text: string, original: FileContent, writing: AgentWriting): string {
  if (original.kind !== 'text') return text;
  const file = original.text;
  if (writing.lineEnds === 'file') return inFileForm(text, file);
  // An agent that does not know UTF-16 finds no CRLF in it.
  const isRead = encodingFate(original, writing) !== 'replaced' || !original.encoding?.startsWith('UTF-16');
  const isCrlf =
    (writing.lineEnds === 'anyCrlf' && isRead && file.includes('\r\n')) ||
    (writing.lineEnds === 'mostlyCrlf' && dominantLineEnd(file) === '\r\n');
  const written = isCrlf ? text.replace(/\r?\n/g, '\r\n') : text;
  const isMarked = writing.keepsBom === true && text !== '' && splitBom(text).bom === '';
  return isMarked ? splitBom(file).bom + written : written;
}

/** What the agent does with the encoding of the file; undefined for UTF-8 and for a file that is not text. */
export function encodingFate(
  original: FileContent,
  { encodings = {} }: AgentWriting,
): 'kept' | 'refused' | 'replaced' | undefined {
  const name = encodingName(original);
  if (name === undefined) return undefined;
  return (Object.hasOwn(encodings, name) ? encodings[name] : encodings.other) ?? 'replaced';
}

/** The name of the encoding of a text for the user; undefined for UTF-8. */
export function encodingName(content: FileContent): string | undefined {
  const encoding = encodingOf(content);
  const isUnmarked = encoding?.startsWith('UTF-16') && splitBom(textOf(content)).bom === '';
  return isUnmarked ? `${encoding} without a byte order mark` : encoding;
}

/** Describes what differs between a file and the text that its agent will write, apart from the lines. */
export function describeWritten(
  text: string,
  original: FileContent,
  writing: AgentWriting,
): WrittenDifferences {
  const file = textOf(original);
  const written = writtenText(text, original, writing);
  const differences = describeExactDifferences(file, written);
  // Only an edit has the mark in its text: it was made from the file, and not by the model.
  const mayOverwrite = writing.overwritesLineEnds === true && splitBom(text).bom === '';
  const [edited, overwritten] = [describeLineEnds(written), describeLineEnds(text)];
  return mayOverwrite && overwritten !== edited ? { ...differences, overwritten } : differences;
}
