import type { PageReview } from '../../src/wire/index.js';

/** A pending review of one changed line, with other values where a test gives them. */
export function pageReview(values: Partial<PageReview> = {}): PageReview {
  return {
    id: '1',
    agent: 'gemini',
    agentName: 'Gemini CLI',
    session: 's',
    path: '/w/a.ts',
    label: 'a.ts',
    state: 'pending',
    openedAt: 0,
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
