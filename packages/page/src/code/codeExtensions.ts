import { defaultKeymap, history, historyKeymap, indentWithTab, redo } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension, Prec, type Text } from '@codemirror/state';
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  highlightTrailingWhitespace,
  highlightWhitespace,
  keymap,
  lineNumbers,
  rectangularSelection,
  ViewPlugin,
} from '@codemirror/view';
import { matchesKey } from '@tandem/chat-panel/primitives';
import { appearancePreferences, codePreferences } from '../client/preferences.js';
import { codeIndentation, codeLanguage, parseInView } from './codeLanguage.js';
import { codeHighlight, codeTheme } from './codeTheme.js';

interface CodeOptions {
  /** Its name determines the language. */
  readonly path: string;
  /** The accessible name. `setLabel` changes it later. */
  readonly label: string;
  /** The text can be selected and searched, not changed. `setReadOnly` changes it later. */
  readonly isReadOnly?: boolean;
  /** The initial text, whose indentation the editor uses. */
  readonly doc?: Text;
  /** Whether blocks can be folded. */
  readonly folds?: boolean;
}

const readOnly = new Compartment();
const name = new Compartment();

/** The texts of the search panel. */
const searchPhrases = {
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close search',
};

/**
 * What all editors of the page share: style, keys, history, search, language. Put extensions of one kind of editor before
 * it, so that their keys have precedence. Tab indents; Escape and then Tab leaves the editor.
 */
export function codeExtensions(options: CodeOptions): Extension {
  return [
    EditorView.cspNonce.of(styleNonce()),
    name.of(nameExtension(options.label)),
    EditorView.contentAttributes.of({
      // What scrolls can be reached by the keyboard, also where it cannot be edited.
      tabindex: '0',
      spellcheck: 'false',
      autocorrect: 'off',
      autocapitalize: 'off',
      translate: 'no',
    }),
    readOnly.of(readOnlyExtensions(options.isReadOnly ?? false)),
    lineNumbers(),
    options.folds ? [foldGutter(), keymap.of(foldKeymap)] : [],
    highlightActiveLineGutter(),
    highlightActiveLine(),
    // Also shows invisible characters that change the meaning of code, such as bidirectional overrides.
    highlightSpecialChars(),
    history(),
    drawSelection(),
    dropCursor(),
    EditorState.allowMultipleSelections.of(true),
    rectangularSelection(),
    crosshairCursor(),
    indentOnInput(),
    bracketMatching(),
    search({ top: true }),
    highlightSelectionMatches({ minSelectionLength: 2, maxMatches: 500 }),
    EditorState.phrases.of(searchPhrases),
    codeHighlight,
    codeLanguage(options.path, options.doc),
    parseInView,
    Prec.low(codeIndentation(options.doc)),
    codeTheme,
    followPreferences(),
    redoKey,
    keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
  ];
}

/** On every system. With Caps Lock, Shift makes a small letter, in which the keymap sees the key of undo. */
const redoKey = Prec.highest(
  EditorView.domEventHandlers({
    keydown: (event, view) => matchesKey(event, 'Mod+Shift+Z') && (redo(view) || true),
  }),
);

/** Makes an existing editor editable or read-only. */
export function setReadOnly(view: EditorView, isReadOnly: boolean): void {
  if (view.state.readOnly === isReadOnly) return;
  view.dispatch({ effects: readOnly.reconfigure(readOnlyExtensions(isReadOnly)) });
}

/** Changes the accessible name of an existing editor. */
export function setLabel(view: EditorView, label: string): void {
  if (view.contentDOM.getAttribute('aria-label') === label) return;
  view.dispatch({ effects: name.reconfigure(nameExtension(label)) });
}

function nameExtension(label: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': label });
}

function readOnlyExtensions(isReadOnly: boolean): Extension {
  // In a read-only text, Tab moves the focus.
  return isReadOnly ? EditorState.readOnly.of(true) : keymap.of([indentWithTab]);
}

/** The text has its new width after this many frames. */
const framesToSettle = 4;

/** Two empty themes: replacing one by the other makes CodeMirror measure what is visible. */
const emptyThemes = [EditorView.theme({}), EditorView.theme({})] as const;

/** Follows the user's preferences. */
function followPreferences(): Extension {
  const compartment = new Compartment();
  const theme = new Compartment();
  const wanted = (): Extension => {
    const { wraps, showsWhitespace } = codePreferences.getState();
    return [
      wraps ? EditorView.lineWrapping : [],
      showsWhitespace ? [highlightWhitespace(), highlightTrailingWhitespace()] : [],
    ];
  };
  // While CodeMirror measures, the text is still as wide as before, and blocks between lines are as high. It measures them
  // again only when the whole content changes its height, or the theme is another one.
  const measureAgain = (view: EditorView, frames: number): void => {
    requestAnimationFrame(() => {
      if (!view.dom.isConnected) return;
      const other = theme.get(view.state) === emptyThemes[0] ? emptyThemes[1] : emptyThemes[0];
      view.dispatch({ effects: theme.reconfigure(other) });
      if (frames > 1) measureAgain(view, frames - 1);
    });
  };
  const follower = ViewPlugin.define((view) => {
    const stop = codePreferences.subscribe((now, before) => {
      if (now.wraps === before.wraps && now.showsWhitespace === before.showsWhitespace) return;
      view.dispatch({ effects: compartment.reconfigure(wanted()) });
      measureAgain(view, framesToSettle);
    });
    const stopSize = appearancePreferences.subscribe(() => measureAgain(view, framesToSettle));
    const stopHeight = onLineHeight(view.scrollDOM, () => measureAgain(view, 1));
    return {
      destroy: () => {
        stop();
        stopSize();
        stopHeight();
      },
    };
  });
  return [compartment.of(wanted()), theme.of(emptyThemes[0]), follower];
}

/** Reports that the height of a line changed, as it does when the browser applies styles or a font after the first measure. */
function onLineHeight(parent: HTMLElement, listener: () => void): () => void {
  const line = parent.appendChild(document.createElement('div'));
  Object.assign(line.style, { position: 'absolute', visibility: 'hidden', width: '0', height: '1lh' });
  const observer = new ResizeObserver(listener);
  observer.observe(line);
  return () => observer.disconnect();
}

/** The page's content security policy allows only styles with the nonce of its document. */
function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="tandem-style-nonce"]')?.content ?? '';
}
