import { type FileContent, textOf } from './mergeWithFile.js';
import { inFileForm } from './text/documentText.js';
import { describeExactDifferences, type ExactDifferences } from './text/hunks.js';
import { describeLineEnds, dominantLineEnd, type LineEndKind, splitBom } from './text/lines.js';

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
  const isCrlf =
    (writing.lineEnds === 'anyCrlf' && file.includes('\r\n')) ||
    (writing.lineEnds === 'mostlyCrlf' && dominantLineEnd(file) === '\r\n');
  const written = isCrlf ? text.replace(/\r?\n/g, '\r\n') : text;
  const isMarked = writing.keepsBom === true && text !== '' && splitBom(text).bom === '';
  return isMarked ? splitBom(file).bom + written : written;
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
