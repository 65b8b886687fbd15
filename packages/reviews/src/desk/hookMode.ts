/** Which edits of a hooked agent wait for the user. What does not wait is recorded, except with `off`. */
export type HookMode =
  /** Each edit, in any mode of the agent. */
  | 'before'
  /** Those about which the agent itself would ask. */
  | 'follow'
  /** None that the agent would not show by itself; what it writes is recorded. */
  | 'after'
  /** None, and nothing is recorded: the agent works as without hooks. */
  | 'off';

/** A mode, or that a session has no hooks although its agent can have some. */
export type HookState = HookMode | 'none';

/** The modes, as views offer them. */
export const hookModes = ['before', 'follow', 'after', 'off'] as const satisfies readonly HookMode[];

/** The words of every view: on a choice or a badge, and as a sentence. */
export const hookWords: Readonly<Record<HookState, { readonly label: string; readonly sentence: string }>> = {
  before: { label: 'Each edit waits', sentence: 'Each edit waits for you, in any mode of the agent.' },
  follow: {
    label: 'Waits where it asks',
    sentence: 'Edits wait for you where the agent would ask. The others are recorded.',
  },
  after: {
    label: 'Recorded',
    sentence:
      'The agent writes as its mode says. What it writes without a review is listed under the changes of its session.',
  },
  off: { label: 'Hooks off', sentence: 'Only edits that the agent shows by itself wait for you.' },
  none: { label: 'Not hooked', sentence: 'Edits that it writes without a question are not shown.' },
};
