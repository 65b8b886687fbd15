/** Which edits of a hooked agent wait for the user. */
export type HookMode =
  /** Each edit, in any mode of the agent. */
  | 'before'
  /** Those about which the agent itself would ask. */
  | 'follow'
  /** None: the agent works as without hooks. */
  | 'off';

/** A mode, or that a session has no hooks although its agent can have some. */
export type HookState = HookMode | 'none';

/** The words of every view: on a choice or a badge, and as a sentence. */
export const hookWords: Readonly<Record<HookState, { readonly label: string; readonly sentence: string }>> = {
  before: { label: 'Each edit waits', sentence: 'Each edit waits for you, in any mode of the agent.' },
  follow: { label: 'Waits where it asks', sentence: 'Edits wait for you where the agent would ask.' },
  off: { label: 'Hooks off', sentence: 'Only edits that the agent shows by itself wait for you.' },
  none: { label: 'Not hooked', sentence: 'Edits that it writes without a question are not shown.' },
};
