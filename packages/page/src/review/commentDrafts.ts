import { create } from 'zustand';
import { createJSONStorage, persist } from 'zustand/middleware';
import type { PageReview } from '../wire/index.js';
import type { CommentLines, CommentSide } from './commentBoxes.js';

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
export function draftOwner({ agent, path }: Pick<PageReview, 'agent' | 'path'>): string {
  return `${agent}\n${path}`;
}

export function addDraft(draft: Omit<CommentDraft, 'key' | 'text'> & { readonly text?: string }): string {
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
