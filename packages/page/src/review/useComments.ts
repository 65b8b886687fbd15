import { messageOf } from '@tandem/core';
import type { ReviewSummary } from '@tandem/rpc';
import { type RefObject, useMemo, useState } from 'react';
import { create } from 'zustand';
import { createJSONStorage, persist } from 'zustand/middleware';
import { usePage } from '../client/pageContext.js';
import type { PageHost } from '../client/pageStore.js';
import type { PageComment, PageEvent, PageReviewDetails } from '../wire/index.js';
import type { CommentHooks, CommentLines, CommentSide, CommentSpot } from './commentBoxes.js';
import type { ReviewEditor } from './reviewEditor.js';
import { useFollowed } from './useReview.js';

/** One box: a comment that the host has, a draft, or a comment with its changed text. */
export interface CommentItem {
  readonly key: string;
  readonly side: CommentSide;
  readonly lines?: CommentLines | undefined;
  readonly comment?: PageComment | undefined;
  readonly draft?: CommentDraft | undefined;
}

/** The comments on a review, and what the user is writing. */
export function useComments(
  details: PageReviewDetails,
  editorRef: RefObject<Pick<ReviewEditor, 'view' | 'commentTarget'> | undefined>,
) {
  const { host } = usePage();
  const { id } = details.review;
  const owner = draftOwner(details.review);
  const comments = useFollowed(details, commentsIn, newComments);
  const allDrafts = commentDrafts(({ drafts }) => drafts);
  const items = useMemo(() => listItems(comments, allDrafts, owner), [comments, allDrafts, owner]);
  const spots = useMemo(
    () => items.flatMap(({ key, side, lines }): CommentSpot[] => (lines ? [{ key, side, lines }] : [])),
    [items],
  );
  const [boxes, setBoxes] = useState<ReadonlyMap<string, HTMLElement>>(new Map());
  /** The box that the user has just opened takes the focus. */
  const [focusKey, setFocusKey] = useState<string>();

  const begin = (draft: Omit<CommentDraft, 'key' | 'owner' | 'text'> & { readonly text?: string }): void => {
    const known = allDrafts.find(
      (each) =>
        each.owner === owner &&
        each.comment === draft.comment &&
        each.side === draft.side &&
        each.lines?.first === draft.lines?.first &&
        each.lines?.last === draft.lines?.last,
    );
    setFocusKey(known?.key ?? addDraft({ ...draft, owner }));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: one object for the life of the editor.
  const hooks = useMemo(
    (): CommentHooks => ({
      onBox: (key, element, isShown) =>
        setBoxes((before) => {
          const after = new Map(before);
          if (isShown) after.set(key, element);
          else if (after.get(key) === element) after.delete(key);
          return after;
        }),
      onComment: (side, lines) => {
        if (editorRef.current?.view.state.readOnly === false) begin({ side, lines });
      },
      onMove: (linesByKey) => {
        for (const { key } of commentDrafts.getState().drafts) {
          const lines = linesByKey.get(key);
          if (lines !== undefined) changeDraft(key, { lines });
        }
      },
    }),
    [owner],
  );

  /** Sends a draft to the host. Returns why it could not. */
  const save = async (draft: CommentDraft): Promise<string | undefined> => {
    try {
      await sendDraft(host, id, draft, comments);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };
  const drafts = items.flatMap(({ draft }) => draft ?? []);
  return {
    comments,
    items,
    spots,
    boxes,
    hooks,
    focusKey,
    /** Opens a box for the selected lines, or for the whole proposal. */
    onAdd: (isWhole: boolean): void => {
      const target = isWhole ? undefined : editorRef.current?.commentTarget();
      begin(target ?? { side: 'proposal' });
    },
    onEdit: ({ id: comment, side, lines, text }: PageComment): void => begin({ comment, side, lines, text }),
    onSave: save,
    /** Sends all drafts that have a text. Returns why one could not be sent. */
    saveAll: async (): Promise<string | undefined> => {
      for (const draft of drafts) {
        const failure = draft.text.trim() === '' ? undefined : await save(draft);
        if (failure !== undefined) return failure;
      }
      return undefined;
    },
    onRemove: async (comment: PageComment): Promise<string | undefined> => {
      try {
        await host.request('review.removeComment', { id, comment: comment.id });
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
    /** Returns the focus to the text, unless the user has moved it from the box while the host answered. */
    onLeave: (): void => {
      const { activeElement } = document;
      const isFree = activeElement === null || activeElement === document.body;
      if (isFree || activeElement.closest('[data-comment]') !== null) editorRef.current?.view.focus();
    },
  };
}

export type Comments = ReturnType<typeof useComments>;

const commentsIn = ({ comments }: PageReviewDetails): readonly PageComment[] => comments;
const newComments = (event: PageEvent, id: string): readonly PageComment[] | undefined =>
  event.event === 'comments' && event.id === id ? event.comments : undefined;

function listItems(
  comments: readonly PageComment[],
  allDrafts: readonly CommentDraft[],
  owner: string,
): readonly CommentItem[] {
  const drafts = allDrafts.filter((draft) => draft.owner === owner);
  const items: CommentItem[] = comments.map((comment) => {
    const { id, side, lines } = comment;
    return {
      key: `comment ${id}`,
      side,
      lines,
      comment,
      draft: drafts.find((draft) => draft.comment === id),
    };
  });
  // A draft for a comment that was deleted elsewhere is a new comment.
  const fresh = drafts.filter((draft) => !comments.some(({ id }) => id === draft.comment));
  const added = fresh.map((draft) => ({ key: draft.key, side: draft.side, lines: draft.lines, draft }));
  return [...items, ...added];
}

/** A comment that the user is writing, or a changed text of one that the host has. */
export interface CommentDraft {
  readonly key: string;
  /** Its review, see `draftOwner`. */
  readonly owner: string;
  /** The comment that it changes. */
  readonly comment?: string | undefined;
  readonly side: CommentSide;
  /** Absent for the whole proposal. */
  readonly lines?: CommentLines | undefined;
  readonly text: string;
}

/** The drafts of this browser tab. They survive a reload of the page and a restart of the companion. */
export const commentDrafts = create<{ readonly drafts: readonly CommentDraft[] }>()(
  persist((): { readonly drafts: readonly CommentDraft[] } => ({ drafts: [] }), {
    name: 'tandem.comments',
    version: 1,
    storage: createJSONStorage(() => sessionStorage),
  }),
);

/** What drafts belong to: a restarted companion numbers its reviews from one again. */
export function draftOwner({ agent, path }: Pick<ReviewSummary, 'agent' | 'path'>): string {
  return `${agent}\n${path}`;
}

/** Makes the drafts on a review comments of it: what is said of its comments is then true of all that the user wrote. */
export async function sendDrafts(host: PageHost, review: ReviewSummary): Promise<void> {
  const owner = draftOwner(review);
  const drafts = commentDrafts.getState().drafts.filter((draft) => draft.owner === owner);
  if (drafts.every(({ text }) => text.trim() === '')) return;
  const { comments } = await host.request('review.open', { id: review.id });
  for (const draft of drafts) if (draft.text.trim() !== '') await sendDraft(host, review.id, draft, comments);
}

async function sendDraft(
  host: PageHost,
  id: string,
  { key, comment, side, lines, text }: CommentDraft,
  comments: readonly PageComment[],
): Promise<void> {
  if (comment !== undefined && comments.some((each) => each.id === comment))
    await host.request('review.editComment', { id, comment, text });
  else await host.request('review.comment', { id, text, side, ...(lines !== undefined && { lines }) });
  removeDraft(key);
}

function addDraft(draft: Omit<CommentDraft, 'key' | 'text'> & { readonly text?: string }): string {
  const key = crypto.randomUUID();
  commentDrafts.setState(({ drafts }) => ({ drafts: [...drafts, { text: '', ...draft, key }] }));
  return key;
}

/** The remark in the dialog that sends feedback: a comment on the whole proposal, until it is sent. */
export function setRemark(owner: string, text: string): void {
  const key = remarkKey(owner);
  commentDrafts.setState(({ drafts }) => {
    const others = drafts.filter((draft) => draft.key !== key);
    return { drafts: text === '' ? others : [...others, { key, owner, side: 'proposal', text }] };
  });
}

/** The key of its draft. */
export function remarkKey(owner: string): string {
  return `remark\n${owner}`;
}

export function changeDraft(key: string, values: Partial<Pick<CommentDraft, 'text' | 'lines'>>): void {
  commentDrafts.setState(({ drafts }) => ({
    drafts: drafts.map((draft) => (draft.key === key ? { ...draft, ...values } : draft)),
  }));
}

export function removeDraft(key: string): void {
  commentDrafts.setState(({ drafts }) => ({ drafts: drafts.filter((draft) => draft.key !== key) }));
}
