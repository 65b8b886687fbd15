import { syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { codeHighlighter } from '@tandem/chat-panel/code';

/** Styles of code, gutters and the search panel, by the page's tokens. */
export const codeTheme: Extension = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    fontSize: 'var(--size-code)',
  },
  // A panel outside its editor has the same theme, but not its height.
  '&.cm-editor': { height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', lineHeight: 'var(--line-code)' },
  '.cm-content': { caretColor: 'var(--text)', padding: 'var(--gap-1) 0' },
  '.cm-line': { padding: '0 var(--gap-2)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)', borderLeftWidth: '2px' },
  '.cm-selectionBackground': { backgroundColor: 'var(--surface-selected)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--code-selection)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': {
    backgroundColor: 'color-mix(in srgb, var(--text) 5%, transparent)',
  },
  '.cm-gutters': {
    color: 'var(--text-muted)',
    backgroundColor: 'var(--surface)',
    borderRight: '1px solid var(--border)',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 var(--gap-2)', minWidth: '36px' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--text)', backgroundColor: 'var(--code-line)' },
  '.cm-foldGutter span': { cursor: 'pointer' },
  '.cm-foldPlaceholder': {
    color: 'var(--text-muted)',
    backgroundColor: 'var(--surface-sunken)',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius)',
    padding: '0 var(--gap-1)',
  },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 22%, transparent)',
    outline: '1px solid var(--accent)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { color: 'var(--code-invalid)', backgroundColor: 'transparent' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--accent) 16%, transparent)' },
  '.cm-searchMatch': {
    backgroundColor: 'color-mix(in srgb, var(--warning) 26%, transparent)',
    outline: '1px solid var(--warning)',
  },
  '.cm-searchMatch.cm-searchMatch-selected': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 34%, transparent)',
    outline: '2px solid var(--accent)',
  },
  '.cm-specialChar': {
    color: 'var(--danger)',
    backgroundColor: 'var(--danger-surface)',
    borderRadius: '3px',
  },
  '.cm-trailingSpace': { backgroundColor: 'color-mix(in srgb, var(--danger) 22%, transparent)' },
  '.cm-highlightSpace': {
    backgroundImage:
      'radial-gradient(circle at 50% 55%, color-mix(in srgb, var(--text-muted) 65%, transparent) 20%, transparent 5%)',
  },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface-raised)',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius)',
  },

  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--surface-page)', zIndex: '5' },
  '.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--border)' },
  '.cm-panel.cm-search, .cm-panel.cm-gotoLine': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: 'var(--gap-1) var(--gap-2)',
    padding: 'var(--gap-2) 40px var(--gap-2) var(--gap-2)',
    fontFamily: 'var(--font-text)',
    fontSize: 'var(--size-text)',
    position: 'relative',
  },
  '.cm-panel.cm-search br': { display: 'none' },
  '.cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label': {
    margin: '0',
    fontSize: 'var(--size-text)',
  },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: 'var(--gap-1)',
    minHeight: 'var(--control-height)',
  },
  '.cm-searchCount': { minWidth: '9ch', color: 'var(--text-muted)', fontVariantNumeric: 'tabular-nums' },
  '.cm-panel input[type=checkbox]': { accentColor: 'var(--accent)', width: '16px', height: '16px' },
  '.cm-textfield': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius)',
    height: 'var(--control-height)',
    padding: '0 var(--gap-2)',
    fontFamily: 'var(--font-text)',
    boxSizing: 'border-box',
    minWidth: '0',
    flex: '0 1 260px',
  },
  '.cm-button': {
    color: 'var(--text)',
    background: 'var(--surface-raised)',
    backgroundImage: 'none',
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius)',
    height: 'var(--control-height)',
    padding: '0 var(--gap-2)',
    fontFamily: 'var(--font-text)',
    cursor: 'pointer',
  },
  '.cm-button:hover': { background: 'var(--surface-hover)' },
  '.cm-panel .cm-textfield:focus-visible, .cm-panel button:focus-visible, .cm-panel input:focus-visible': {
    outline: '2px solid var(--focus-ring)',
    outlineOffset: '1px',
  },
  '.cm-panel.cm-search [name=close], .cm-panel.cm-gotoLine [name=close], .cm-dialog-close': {
    position: 'absolute',
    top: 'var(--gap-2)',
    right: 'var(--gap-2)',
    width: 'var(--control-height)',
    height: 'var(--control-height)',
    color: 'var(--text-muted)',
    backgroundColor: 'transparent',
    border: 'none',
    borderRadius: 'var(--radius)',
    fontSize: '18px',
    lineHeight: '1',
    cursor: 'pointer',
  },
});

export const codeHighlight: Extension = syntaxHighlighting(codeHighlighter, { fallback: true });
