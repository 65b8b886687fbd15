import { splitBom } from '@tandem/reviews';
import { applyChunks, type PatchLine } from '../hooks/applyChunks.js';
import { plainText } from '../hooks/fileEdit.js';
import type { PatchTool } from '../hooks/patchEdits.js';

/** The tool `apply_patch` of Copilot CLI, where it differs from that of Codex CLI. */
export const copilotTool: PatchTool = {
  add: (before, content) => (before === undefined ? content : undefined),

  // It keeps the end of the last line as it is, and writes CRLF everywhere if there is one.
  update(before, chunks) {
    const { bom, text } = plainText(before);
    const after = applyChunks(text, chunks);
    if (after === undefined) return undefined;
    const lines = text.endsWith('\n') ? after : after.replace(/\n$/, '');
    return bom + (before.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines);
  },

  writing(path, present, text) {
    if (present === undefined) {
      const isLines = text.endsWith('\n') && !text.includes('\r');
      return isLines ? { kind: 'add', path, content: text } : undefined;
    }
    const { bom } = splitBom(present);
    const [old, wanted] = [bom + plainText(present).text, bom + plainText(text).text];
    const hasSameEnd = old.endsWith('\n') === wanted.endsWith('\n');
    if (old === bom || wanted === bom || !hasSameEnd) return undefined;
    return {
      kind: 'update',
      path,
      chunks: [{ lines: [...linesOf('removed', old), ...linesOf('added', wanted)] }],
    };
  },
};

function linesOf(kind: PatchLine['kind'], text: string): readonly PatchLine[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ kind, text: line }));
}
