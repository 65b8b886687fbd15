import { MergeView } from '@codemirror/merge';
import { EditorView, lineNumbers } from '@codemirror/view';

/**
 * CodeMirror and nothing else: what the page is measured against. `npm run bench` opens it with the text to show in
 * a global of the window.
 */
declare global {
  interface Window {
    readonly bareEditorTexts: { readonly original?: string; readonly text: string };
  }
}

const { original, text } = window.bareEditorTexts;
const parent = document.body;
const extensions = [
  lineNumbers(),
  EditorView.theme({ '&': { height: '90vh' }, '.cm-scroller': { overflow: 'auto' } }),
];
if (original === undefined) {
  new EditorView({ parent, doc: text, extensions });
} else {
  const diffConfig = { scanLimit: 500, timeout: 200 };
  new MergeView({ parent, a: { doc: original, extensions }, b: { doc: text, extensions }, diffConfig });
}
