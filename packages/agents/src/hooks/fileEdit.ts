import type { Path } from '@tandem/core';
import { splitBom } from '@tandem/reviews';

/** What a tool call would do to one file. */
export interface FileEdit {
  /** Absolute. */
  readonly path: Path;
  /** The call creates the file from the text of this one, which `apply` receives in place of its own. */
  readonly from?: Path;
  /** The call deletes the file: its text is then empty. */
  readonly isDeletion?: boolean;
  /** See `Proposal`. */
  readonly agentChooses?: string;
  /**
   * The file's whole text after the call. `before`: its text; undefined if there is no file. Undefined if the tool would refuse
   * the call.
   */
  apply(before: string | undefined): string | undefined;
}

/** A part of a text and what replaces it. */
export interface StringEdit {
  readonly before: string;
  readonly after: string;
  /** Each occurrence; by default `before` must occur exactly once. */
  readonly isEach?: boolean;
  /** Whether a removed text takes the line feed after it with it. */
  readonly takesLineEnd?: boolean;
}

/** A tool that writes a whole file. `keepsBom`: the byte order mark of the file stays. */
export function wholeWrite(
  path: Path,
  content: string,
  { keepsBom = false }: { readonly keepsBom?: boolean } = {},
): FileEdit {
  return {
    path,
    apply(before = '') {
      const { bom, body } = splitBom(content);
      return (bom || (keepsBom ? splitBom(before).bom : '')) + body;
    },
  };
}

/** A tool that creates a file, and refuses to write over one. */
export function newFile(path: Path, content: string): FileEdit {
  return { path, apply: (before) => (before === undefined ? content : undefined) };
}

/** A tool that deletes a file. */
export function deletion(path: Path): FileEdit {
  return { path, isDeletion: true, apply: (before) => (before === undefined ? undefined : '') };
}

/** A tool that replaces a part of a file in the line ends of the file: all in CRLF, if there is one. */
export function nativeEdit(path: Path, edit: StringEdit): FileEdit {
  return {
    path,
    apply(file) {
      if (edit.before === '') return file === undefined ? edit.after : undefined;
      const { bom, body } = splitBom(file ?? '');
      const end = body.includes('\r\n') ? '\r\n' : '\n';
      const inFile = (text: string): string => withLineFeeds(text).replaceAll('\n', end);
      const changed = replaceIn(body, { ...edit, before: inFile(edit.before), after: inFile(edit.after) });
      return changed === undefined ? undefined : bom + changed;
    },
  };
}

/**
 * A tool that replaces parts of a file, one after the other. As the agents do, it compares texts with LF, and leaves a byte order
 * mark where it is. An empty `before` creates a file.
 */
export function stringEdits(path: Path, edits: readonly StringEdit[]): FileEdit {
  return {
    path,
    apply(file) {
      const { bom, text } = plainText(file ?? '');
      let changed = text;
      for (const edit of edits) {
        const [before, after] = [withLineFeeds(edit.before), withLineFeeds(edit.after)];
        const next = replaceIn(changed, { ...edit, before, after });
        if (next === undefined) return undefined;
        changed = next;
      }
      return bom + changed;
    },
  };
}

function replaceIn(text: string, { before, after, ...edit }: StringEdit): string | undefined {
  if (before === '') return text === '' ? after : undefined;
  const parts = text.split(before);
  if (parts.length < 2 || (parts.length > 2 && !edit.isEach)) return undefined;
  const line = `${before}\n`;
  const takesLineEnd = edit.takesLineEnd && after === '' && !before.endsWith('\n');
  return takesLineEnd && text.includes(line) ? text.split(line).join('') : parts.join(after);
}

/** A text as agents compare it: with LF, and without its byte order mark. */
export function plainText(text: string): { readonly bom: string; readonly text: string } {
  const { bom, body } = splitBom(text);
  return { bom, text: withLineFeeds(body) };
}

function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
