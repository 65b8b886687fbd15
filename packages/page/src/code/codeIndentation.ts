import { indentUnit } from '@codemirror/language';
import { EditorState, type Extension, type Text } from '@codemirror/state';

const linesLookedAt = 2_000;

/** What one level of indentation is made of, in a text as it stands: a tab or some spaces. */
export function findIndentation(doc: Text): string | undefined {
  let tabs = 0;
  const steps = new Map<number, number>();
  let before = 0;
  let lines = 0;
  for (const line of doc.iterLines()) {
    lines += 1;
    if (lines > linesLookedAt) break;
    // A blank line says nothing, and the stars of a block comment are one off.
    const indent = /^([ \t]*)(?![\s*])./.exec(line)?.[1];
    if (indent === undefined) continue;
    if (indent.startsWith('\t')) {
      tabs += 1;
      before = 0;
      continue;
    }
    const step = indent.length - before;
    if (step === 2 || step === 3 || step === 4 || step === 8) steps.set(step, (steps.get(step) ?? 0) + 1);
    before = indent.length;
  }
  const [common] = [...steps].sort((a, b) => b[1] - a[1]);
  if (tabs > (common?.[1] ?? 0)) return '\t';
  return common === undefined ? undefined : ' '.repeat(common[0]);
}

/** Indents as the text itself does; two spaces where it does not say. */
export function codeIndentation(doc: Text | undefined): Extension {
  const unit = doc === undefined ? undefined : findIndentation(doc);
  return [indentUnit.of(unit ?? '  '), EditorState.tabSize.of(4)];
}
