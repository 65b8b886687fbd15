import { hasCode, RpcError } from '@tandem/rpc';
import { type RefObject, useCallback, useMemo, useState } from 'react';
import { usePage } from '../client/pageContext.js';
import type { ChangePlace } from './changePlaces.js';
import type { ReviewEditor } from './reviewEditor.js';
import { countOf } from './reviewWords.js';
import { messageOf, type OpenReview } from './useReview.js';

/** The result of an action. A problem stays until it is dismissed, the rest until the next action. */
export interface ReviewNotice {
  readonly kind: 'problem' | 'done';
  readonly text: string;
}

interface Decision {
  readonly busy: 'accept' | 'reject' | undefined;
  readonly notice: ReviewNotice | undefined;
  readonly setNotice: (notice: ReviewNotice | undefined) => void;
  readonly accept: (how?: { readonly overwrites: boolean }) => Promise<void>;
  /** The host refused: accepting would undo a change of the file, or write conflict markers. */
  readonly asksToOverwrite: boolean;
  readonly keepAsking: () => void;
  /** Merges conflicting changes of the file into the text, with conflict markers. */
  readonly markConflicts: () => Promise<void>;
  /** Takes the last merged change of the file out of the text. */
  readonly undoMerge: () => Promise<void>;
  readonly reject: () => Promise<void>;
  /** Keeps or drops a hunk, or puts the file's lines back in place of an edit. */
  readonly toggle: (place: ChangePlace) => Promise<void>;
  /** Undoes or redoes the last hunk if it was the last action; otherwise returns false. */
  readonly stepHunks: (command: 'undo' | 'redo') => boolean;
  readonly onTyped: () => void;
  /** Restores the proposal, with every hunk. */
  readonly reset: (kept: readonly boolean[]) => Promise<void>;
}

/** The actions of a review and their results. `announce` reports to screen readers. */
export function useDecision(
  { details, text }: OpenReview,
  editorRef: RefObject<ReviewEditor | undefined>,
  announce: (words: string) => void,
): Decision {
  const { host, store } = usePage();
  const { id } = details.review;
  const [busy, setBusy] = useState<'accept' | 'reject'>();
  const [notice, setNotice] = useState<ReviewNotice>();
  const [asksToOverwrite, askToOverwrite] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it knows nothing of other hunks.
  const toggles = useMemo(() => new ToggleHistory(), [details.hunks]);
  const settle = useCallback(
    async (): Promise<number> => ('settle' in text ? text.settle() : details.text.version),
    [text, details],
  );
  const fail = (error: unknown, what: string): void =>
    setNotice({ kind: 'problem', text: explain(error, what) });

  const decide = async (kind: 'accept' | 'reject', ask: () => Promise<unknown>): Promise<void> => {
    setBusy(kind);
    setNotice(undefined);
    store.setState({ decidedHere: id });
    try {
      await ask();
      // The buttons go when the host says that the review has ended.
    } catch (error) {
      setBusy(undefined);
      if (hasCode(error, 'conflict')) askToOverwrite(true);
      else fail(error, kind);
    }
  };

  /**
   * Drops a change that the user has corrected: the host has no such state, so the file's lines are restored as an edit.
   * False when there is no such change any more.
   */
  const revertCorrected = (hunk: number): boolean => {
    const editor = editorRef.current;
    const place = editor?.placeOf(hunk);
    if (editor === undefined || place === undefined || place.isDropped || editor.view.state.readOnly)
      return false;
    editor.revert(place);
    setNotice({ kind: 'done', text: 'Dropped the change and your correction. Undo restores both.' });
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
      if (!(isCorrected && !isKept && revertCorrected(hunk))) fail(error, isKept ? 'keep' : 'drop');
      return false;
    }
  };

  const changeText = async (
    method: 'review.markConflicts' | 'review.undoMerge',
    done: string,
  ): Promise<void> => {
    try {
      setNotice(undefined);
      await settle();
      await host.request(method, { id });
      setNotice({ kind: 'done', text: done });
    } catch (error) {
      fail(error, 'try');
    }
  };

  return {
    busy,
    notice,
    setNotice,
    accept: async (how = { overwrites: false }) => {
      askToOverwrite(false);
      await decide('accept', async () =>
        host.request('review.accept', { id, version: await settle(), ...how }),
      );
    },
    asksToOverwrite,
    keepAsking: () => askToOverwrite(false),
    markConflicts: () =>
      changeText('review.markConflicts', 'Both versions are in the text. Resolve the conflict markers.'),
    undoMerge: () => changeText('review.undoMerge', "The file's changes are taken out of the text again."),
    reject: () =>
      decide('reject', async () => {
        // The last input belongs to the kept text; if it cannot be sent, the review is rejected anyway.
        await settle().catch(() => {});
        await host.request('review.reject', { id });
      }),
    toggle: async (place) => {
      const editor = editorRef.current;
      if (editor === undefined || editor.view.state.readOnly) return;
      if (place.hunk === undefined) {
        editor.revert(place);
        announce("Restored the file's lines.");
        return;
      }
      editor.separateHistory();
      const depth = editor.undoDepth;
      if (await setHunk(place.hunk, place.isDropped)) toggles.add(place.hunk, place.isDropped, depth);
    },
    stepHunks: (command) => {
      const editor = editorRef.current;
      if (editor === undefined || editor.view.state.readOnly) return false;
      const step = toggles[command](editor.undoDepth);
      // What was said of the last step is true no more when the text's own history takes it back.
      setNotice((said) => (said?.kind === 'done' ? undefined : said));
      if (step === undefined) return false;
      void setHunk(step.hunk, step.isKept);
      return true;
    },
    onTyped: () => toggles.forgetUndone(),
    reset: async (kept) => {
      if ('settle' in text) text.replace(details.proposed);
      for (const [hunk, isKept] of kept.entries()) if (!isKept && !(await setHunk(hunk, true))) return;
      setNotice({ kind: 'done', text: 'The proposal is restored. Undo restores your edits.' });
    },
  };
}

function explain(error: unknown, what: string): string {
  if (!(error instanceof RpcError)) return messageOf(error);
  if (error.code === 'unreachable') {
    return `The companion cannot be reached, so this was not sent. Your text is kept. Once it is connected, ${what} again.`;
  }
  if (error.code === 'changed') {
    return 'The text was just changed elsewhere, for example in another tab. Check it and accept again.';
  }
  return error.message;
}

/** A hunk that was kept or dropped, and how many edits could be undone when that was done. */
interface HunkToggle {
  readonly hunk: number;
  readonly isKept: boolean;
  readonly depth: number;
}

/**
 * Lets undo and redo take hunks in turn with what was typed. The editor's own history does not know of them: a hunk is
 * kept or dropped by the host.
 */
export class ToggleHistory {
  readonly #done: HunkToggle[] = [];
  readonly #undone: HunkToggle[] = [];

  /** A hunk was kept or dropped while `depth` edits could be undone. */
  add(hunk: number, isKept: boolean, depth: number): void {
    this.#done.push({ hunk, isKept, depth });
    this.#undone.length = 0;
  }

  /** Something was typed: what was undone before cannot be done again. */
  forgetUndone(): void {
    this.#undone.length = 0;
  }

  /** What to ask of the host when the last thing done was a hunk. */
  undo(depth: number): { readonly hunk: number; readonly isKept: boolean } | undefined {
    // Edits below were undone to less than that: the toggle stands above nothing of its own time.
    while ((this.#done.at(-1)?.depth ?? 0) > depth) this.#done.pop();
    const last = this.#done.at(-1);
    if (last === undefined || last.depth !== depth) return undefined;
    this.#done.pop();
    this.#undone.push(last);
    return { hunk: last.hunk, isKept: !last.isKept };
  }

  /** What to ask of the host when the last thing undone was a hunk. */
  redo(depth: number): { readonly hunk: number; readonly isKept: boolean } | undefined {
    const last = this.#undone.at(-1);
    if (last === undefined || last.depth !== depth) return undefined;
    this.#undone.pop();
    this.#done.push(last);
    return { hunk: last.hunk, isKept: last.isKept };
  }
}
