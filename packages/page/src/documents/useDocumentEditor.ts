import { openSearchPanel } from '@codemirror/search';
import type { Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { messageOf, visibleName } from '@tandem/core';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { type Shell, useShell } from '../app/shell.js';
import { documentTab } from '../app/tabList.js';
import { usePage } from '../client/pageContext.js';
import { changedByHost, type TextSession } from '../client/textSession.js';
import { documentTextId } from '../client/textSessions.js';
import { codeExtensions, setLabel, setReadOnly } from '../code/codeExtensions.js';
import { conflictActions } from '../code/conflictActions.js';

/** A text that the host changed and that is not unsaved after so long was loaded again. */
const reloadMs = 400;

interface EditorOptions {
  readonly path: string;
  readonly label: string;
  readonly isActive: boolean;
  readonly isReadOnly: boolean;
  readonly isText: boolean;
}

/** Creates the editor of a document when its text is loaded. */
export function useDocumentEditor({ path, label, isActive, isReadOnly, isText }: EditorOptions) {
  const { texts } = usePage();
  const shell = useShell();
  const parent = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const [failure, setFailure] = useState<string>();
  const [detached, setDetached] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const focusRequest = useStore(shell.tabs.state, (state) => state.focusRequest);
  const id = documentTextId(path);

  useEffect(
    () => texts.onDidReplace((other) => other === id && setAttempt((count) => count + 1)),
    [texts, id],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` asks for another editor of the same text.
  useEffect(() => {
    if (!isText) return;
    let isGone = false;
    let made: { view: EditorView; session: TextSession; stop: () => void } | undefined;
    const begin = (session: TextSession): void => {
      if (isGone || parent.current === null) return;
      const editor = createEditor(parent.current, session, { path, label, shell });
      const onChange = (): void => setDetached(session.detached !== undefined);
      made = { view: editor, session, stop: session.onDidChange(onChange) };
      session.bind(editor);
      shell.documentCommands.editors.add(path, editor);
      onChange();
      setFailure(undefined);
      setView(editor);
    };
    texts.open(id).then(begin, (error: unknown) => {
      if (!isGone) setFailure(messageOf(error));
    });
    return () => {
      isGone = true;
      if (made === undefined) return;
      made.stop();
      shell.documentCommands.editors.remove(path, made.view);
      made.session.unbind(made.view);
      made.view.destroy();
      setView(undefined);
    };
  }, [texts, shell, id, path, isText, attempt]);

  useEffect(() => {
    if (view !== undefined) setReadOnly(view, isReadOnly);
  }, [view, isReadOnly]);

  useEffect(() => {
    // The text may arrive before the name of the document.
    if (view !== undefined) setLabel(view, nameOf(label));
  }, [view, label]);

  useEffect(() => {
    if (view === undefined || !isActive || focusRequest?.key !== documentTab(path).key) return;
    view.focus();
    shell.tabs.granted(focusRequest.serial);
  }, [view, isActive, focusRequest, shell, path]);

  return { parent, failure, detached, reopen: () => setAttempt((count) => count + 1) };
}

interface EditorParts {
  readonly path: string;
  readonly label: string;
  readonly shell: Shell;
}

function createEditor(
  parent: Element,
  session: TextSession,
  { path, label, shell }: EditorParts,
): EditorView {
  const { doc, extensions } = session.start();
  let reloadTimer: number | undefined;
  const listener = EditorView.updateListener.of((update) => {
    if (update.docChanged || update.selectionSet) shell.documentCommands.editors.notify(path);
    if (!update.transactions.some(isOfHost)) return;
    window.clearTimeout(reloadTimer);
    reloadTimer = window.setTimeout(() => {
      const document = shell.documentCommands.document(path);
      if (document !== undefined && !document.isDirty) {
        shell.notices.announce(`Reloaded ${visibleName(document.label)}: it changed on disk.`);
      }
    }, reloadMs);
  });
  return new EditorView({
    doc,
    parent,
    extensions: [
      listener,
      conflictActions,
      codeExtensions({ path, label: nameOf(label), doc, folds: true }),
      extensions,
    ],
  });
}

function isOfHost({ effects }: Transaction): boolean {
  return effects.some((effect) => effect.is(changedByHost));
}

function nameOf(label: string): string {
  return `Text of ${label}`;
}

/** Opens the search of the active document, with the selected text. */
export function findInDocument(shell: Shell, path: string): void {
  const view = shell.documentCommands.editors.get(path);
  if (view !== undefined) openSearchPanel(view);
}
