import type { ReviewSummary } from '@tandem/rpc';

/** A pending review of one changed line, with other values where a test gives them. */
export function pageReview(values: Partial<ReviewSummary> = {}): ReviewSummary {
  return {
    id: '1',
    agent: 'gemini',
    agentName: 'Gemini CLI',
    session: 's',
    path: '/w/a.ts',
    label: 'a.ts',
    state: 'pending',
    openedAt: 0,
    actions: [],
    isNewFile: false,
    concerns: [],
    notes: [],
    isBinary: false,
    isEdited: false,
    hunks: 1,
    added: 1,
    removed: 0,
    ...values,
  };
}
