import { mergeText } from '@tandem/reviews';

/**
 * A state machine, without VS Code, that keeps the text of a review and its document in VS Code equal. `stepText`
 * returns the next state and the actions. `ReviewText` sends the events and performs the actions.
 */
export interface ReviewTextState {
  readonly sync: SyncState;
  readonly save: SaveState;
  /** The last common text of review and document: the base of a merge if both have changed since. */
  readonly agreed: string;
  /** The number of consecutive times that VS Code refused to change the document. */
  readonly refusals: number;
}

type SyncState =
  /** No edit of the user is outstanding. */
  | { readonly kind: 'idle' }
  /** The user typed, and the review does not have it yet. */
  | { readonly kind: 'typed' }
  /** The user's text is being applied to the review. */
  | { readonly kind: 'taking' }
  /** `text` is being written to the document. */
  | { readonly kind: 'showing'; readonly text: string }
  /** VS Code is saving the document and may change it. Its content meanwhile is not user input. */
  | { readonly kind: 'formatting' };

/**
 * Whether the document is saved, so that VS Code closes it without a question. Tracked here because after a save VS
 * Code reports a document as clean even if the user typed meanwhile, and never corrects that.
 */
type SaveState =
  | 'saved'
  | 'changed'
  /** It is being saved without formatters. */
  | 'saving'
  | 'changedWhileSaving'
  /** It can only be saved with formatters, so VS Code asks about it when its tab is closed. */
  | 'blocked';

export type ReviewTextEvent =
  /** The document became `text` while the review has `shown`. */
  | { readonly kind: 'documentChanged'; readonly text: string; readonly shown: string }
  /** The text of the review changed. */
  | { readonly kind: 'reviewChanged' }
  /** The review must receive the user's text now: the user pauses, saves or decides. */
  | { readonly kind: 'flush' }
  /** The review took `text`, and now has `shown`. */
  | { readonly kind: 'taken'; readonly text: string; readonly shown: string }
  /** Compare the document with the review now. `text` is absent if the document is not loaded. */
  | { readonly kind: 'compare'; readonly document: string | undefined; readonly shown: string }
  /** VS Code has written `text` to the document, or refused to. */
  | { readonly kind: 'applied'; readonly text: string; readonly isDone: boolean }
  /** VS Code is about to save the document. `isFormatted` if formatters or the like run then. */
  | { readonly kind: 'willSave'; readonly isFormatted: boolean }
  | { readonly kind: 'didSave' }
  /** Tabs or the active editor changed, so a save may be possible now. */
  | { readonly kind: 'lookedAt' }
  | {
      readonly kind: 'keepClean';
      readonly isDirty: boolean;
      readonly isFormatted: boolean;
      /** It can be saved without formatters. */
      readonly canSkipFormatters: boolean;
    }
  /** The save without formatters has ended. */
  | { readonly kind: 'savedUnformatted' };

export type ReviewTextAction =
  /** Flush after a pause in typing; a review that ends earlier includes the unfinished text. */
  | 'waitForPause'
  | 'cancelPause'
  /** Apply the user's text to the review. */
  | 'take'
  /** The current change comes from a formatter. */
  | 'forgetTyped'
  /** Write the review's text to the file that a document loads. */
  | 'store'
  /** Compare the document with the review after the earlier comparisons. */
  | 'show'
  /** Compare immediately. */
  | 'compare'
  | 'apply'
  /** Save the document if it is not saved. */
  | 'keepClean'
  | 'save'
  | 'saveUnformatted';

export interface ReviewTextStep {
  readonly state: ReviewTextState;
  readonly actions: readonly ReviewTextAction[];
}

const idle: SyncState = { kind: 'idle' };

/** VS Code refuses to change a document that changed at the same time. The number of consecutive attempts. */
const showAttempts = 3;

/** Both have the text `agreed`, and it is saved. */
export function startText(agreed: string): ReviewTextState {
  return { sync: idle, save: 'saved', agreed, refusals: 0 };
}

export function stepText(state: ReviewTextState, event: ReviewTextEvent): ReviewTextStep {
  const { sync } = state;
  const stay: ReviewTextStep = { state, actions: [] };
  const go = (next: Partial<ReviewTextState>, ...actions: ReviewTextAction[]): ReviewTextStep => ({
    state: { ...state, ...next },
    actions,
  });
  switch (event.kind) {
    case 'documentChanged': {
      const save = afterChange(state.save);
      const isOurs =
        isSameText(event.text, event.shown) || (sync.kind === 'showing' && isSameText(event.text, sync.text));
      const isTyped = !isOurs && sync.kind !== 'formatting' && sync.kind !== 'taking';
      return isTyped ? go({ save, sync: { kind: 'typed' } }, 'waitForPause') : go({ save });
    }
    case 'reviewChanged':
      return sync.kind === 'taking' ? go({}, 'store') : go({}, 'store', 'show');
    case 'flush':
      return sync.kind === 'typed' ? go({ sync: { kind: 'taking' } }, 'cancelPause', 'take') : stay;
    case 'taken':
      return go(
        { sync: idle, agreed: event.text },
        ...(isSameText(event.text, event.shown) ? [] : (['store', 'show'] as const)),
      );
    case 'compare':
      if (sync.kind !== 'idle') return stay;
      if (event.document === undefined || isSameText(event.document, event.shown))
        return go({ agreed: event.shown, refusals: 0 });
      return go({ sync: { kind: 'showing', text: event.shown } }, 'apply');
    case 'applied': {
      const next = sync.kind === 'showing' ? idle : sync;
      if (event.isDone) return go({ sync: next, agreed: event.text, refusals: 0 }, 'keepClean');
      const refusals = state.refusals + 1;
      return refusals < showAttempts
        ? go({ sync: next, refusals }, 'compare')
        : go({ sync: next, refusals: 0 });
    }
    case 'willSave':
      if (!event.isFormatted || isSaving(state.save)) return stepText(state, { kind: 'flush' });
      return go({ sync: { kind: 'formatting' } }, 'cancelPause', 'forgetTyped');
    case 'didSave':
      return sync.kind === 'formatting' ? go({ sync: idle }, 'store', 'show') : stay;
    case 'lookedAt':
      return sync.kind === 'typed' || sync.kind === 'formatting' ? stay : go({}, 'keepClean');
    case 'keepClean':
      if (isSaving(state.save) || (state.save === 'saved' && !event.isDirty)) return stay;
      if (!event.isFormatted) return go({ save: 'saved' }, 'save');
      return event.canSkipFormatters ? go({ save: 'saving' }, 'saveUnformatted') : go({ save: 'blocked' });
    case 'savedUnformatted':
      return state.save === 'changedWhileSaving'
        ? go({ save: 'changed' }, 'keepClean')
        : go({ save: 'saved' });
  }
}

/**
 * The user's text, merged with changes of the review since both were equal. On the same lines, the user's text wins.
 */
export function mergeTyped(
  state: ReviewTextState,
  typed: string,
  shown: string,
  merge: (base: string, mine: string, theirs: string) => { readonly text: string } = mergeText,
): string {
  const merged = mergeOfTyped(state, typed, shown);
  return merged === undefined ? typed : merge(merged.base, merged.mine, merged.theirs).text;
}

/** What `mergeTyped` merges; undefined if the review has not changed. */
export function mergeOfTyped({ agreed }: ReviewTextState, typed: string, shown: string) {
  if (isSameText(shown, agreed)) return undefined;
  return { base: withoutEnds(agreed), mine: withoutEnds(typed), theirs: withoutEnds(shown) };
}

/**
 * Compares texts as an editor shows them, with one kind of line end and no byte order mark. The review keeps the final
 * line end of the proposal, regardless of the document.
 */
export function isSameText(one: string, other: string): boolean {
  return withoutEnds(one).replace(/\n$/, '') === withoutEnds(other).replace(/\n$/, '');
}

/** The text without byte order mark, with the line ends of an editor. */
export function withoutEnds(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

function afterChange(save: SaveState): SaveState {
  if (save === 'saved') return 'changed';
  return save === 'saving' ? 'changedWhileSaving' : save;
}

function isSaving(save: SaveState): boolean {
  return save === 'saving' || save === 'changedWhileSaving';
}
