import { countOf } from '@tandem/chat-panel/primitives';
import { messageOf } from '@tandem/core';
import { hasCode, RpcError } from '@tandem/rpc';
import { type RefObject, useCallback, useEffect, useState } from 'react';
import { useShell } from '../app/shell.js';
import { usePage } from '../client/pageContext.js';
import { askAsNeeded } from './askAsNeeded.js';
import type { ChangeRange } from './changeRanges.js';
import type { HunkDecision, ReviewEditor } from './reviewEditor.js';
import type { OpenReview } from './useReview.js';

/** How long the result of an action stays, unless it is a problem. */
const doneMs = 10_000;

/** The result of an action. A problem stays until it is dismissed, the rest for a while, or until the next action. */
export interface ReviewNotice {
  readonly kind: 'problem' | 'done';
  readonly text: string;
}

/** The actions of a review and their results. `announce` reports to screen readers. */
export function useDecision(
  { details, text }: OpenReview,
  editorRef: RefObject<ReviewEditor | undefined>,
  announce: (words: string) => void,
) {
  const { host, store } = usePage();
  const { id } = details.review;
  const [busy, setBusy] = useState<'accept' | 'reject'>();
  const [notice, setNotice] = useState<ReviewNotice>();
  useEffect(() => {
    if (notice?.kind !== 'done') return;
    const timer = window.setTimeout(() => setNotice(undefined), doneMs);
    return () => window.clearTimeout(timer);
  }, [notice]);
  const shell = useShell();
  const settle = useCallback(
    async (): Promise<number> => ('settle' in text ? text.settle() : details.text.version),
    [text, details],
  );
  const fail = (error: unknown): void => setNotice({ kind: 'problem', text: explain(error) });

  const decide = async (kind: 'accept' | 'reject', ask: () => Promise<unknown>): Promise<void> => {
    setBusy(kind);
    setNotice(undefined);
    store.setState({ decidedHere: { id } });
    try {
      await ask();
      // The buttons are removed when the host reports the end of the review.
    } catch (error) {
      setBusy(undefined);
      fail(error);
    }
  };

  /**
   * Drops a change that the user has corrected: the host has no such state, so the file's lines are restored as an edit.
   * False when there is no such change any more.
   */
  const revertCorrected = (hunk: number): boolean => {
    const editor = editorRef.current;
    const range = editor?.rangeOf(hunk);
    if (editor === undefined || range === undefined || range.isDropped || editor.view.state.readOnly)
      return false;
    editor.revert(range);
    setNotice({ kind: 'done', text: 'Dropped the change and your edit. Undo restores both.' });
    return true;
  };

  const setHunk = async (hunk: number, isKept: boolean): Promise<boolean> => {
    try {
      setNotice(undefined);
      await settle();
      await host.request('review.hunk', { id, hunk, isKept });
      const { original, proposed } = details.hunks[hunk] ?? {
        original: { count: 0 },
        proposed: { count: 0 },
      };
      const lines = countOf(original.count + proposed.count, 'changed line');
      announce(isKept ? `Kept the change: ${lines}.` : `Dropped the change: ${lines}.`);
      return true;
    } catch (error) {
      const isCorrected = hasCode(error, 'refused');
      if (!(isCorrected && !isKept && revertCorrected(hunk))) fail(error);
      return false;
    }
  };

  return {
    busy,
    notice,
    setNotice,
    /** Resolves once the host has everything that was typed. */
    settle,
    accept: () =>
      decide('accept', async () => {
        const version = await settle();
        const accepted = await askAsNeeded(shell, (answer) =>
          host.request('review.accept', { id, version, ...answer }),
        );
        if (accepted?.state === 'accepted') return;
        setBusy(undefined);
        if (accepted?.note !== undefined) setNotice({ kind: 'done', text: accepted.note });
      }),
    /** Does one of the review's actions, after it asked what the host asks. */
    run: async (action: string): Promise<void> => {
      try {
        setNotice(undefined);
        await settle();
        const done = await askAsNeeded(shell, (answer) =>
          host.request('review.run', { id, action, ...answer }),
        );
        if (done?.note !== undefined) setNotice({ kind: 'done', text: done.note });
      } catch (error) {
        fail(error);
      }
    },
    reject: () =>
      decide('reject', async () => {
        // The last input belongs to the kept text; if it cannot be sent, the review is rejected anyway.
        await settle().catch(() => {});
        await host.request('review.reject', { id });
      }),
    /** Keeps or drops a hunk, or restores the file's lines in place of an edit. */
    toggle: async (range: ChangeRange): Promise<void> => {
      const editor = editorRef.current;
      if (editor === undefined || editor.view.state.readOnly) return;
      if (range.hunk === undefined) {
        editor.revert(range);
        announce("Restored the file's lines.");
        return;
      }
      if (!(await setHunk(range.hunk, range.isDropped))) return;
      editorRef.current?.record({ hunk: range.hunk, isKept: range.isDropped });
    },
    /** Undo or redo in the text reversed these decisions on hunks. */
    onStep: (decisions: readonly HunkDecision[]): void => {
      setNotice((said) => (said?.kind === 'done' ? undefined : said));
      for (const { hunk, isKept } of decisions) void setHunk(hunk, isKept);
    },
    /** Restores the proposal, with every hunk. */
    reset: async (kept: readonly boolean[]): Promise<void> => {
      if ('settle' in text) text.replace(details.proposed);
      for (const [hunk, isKept] of kept.entries()) if (!isKept && !(await setHunk(hunk, true))) return;
      setNotice({ kind: 'done', text: 'The proposal is restored. Undo restores your edits.' });
    },
  };
}

function explain(error: unknown): string {
  if (!(error instanceof RpcError)) return messageOf(error);
  if (error.code === 'unreachable') {
    return 'The companion cannot be reached, so nothing was sent. Your text is kept. Retry when the connection is restored.';
  }
  return error.message;
}
