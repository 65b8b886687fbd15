import { silentLogger } from '@tandem/core';
import { type FileContent, type Proposal, Review, type ReviewEdits } from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';

/** A pending review of a change by Claude Code. */
export function makeReview(
  original: string | FileContent,
  content: string,
  more: { clock?: FakeClock; proposal?: Partial<Proposal>; edits?: ReviewEdits } = {},
): Review {
  return new Review(
    {
      id: '1',
      proposal: { path: '/ws/a.txt', content, agent: 'claude', session: 's', ...more.proposal },
      original: typeof original === 'string' ? { kind: 'text', text: original } : original,
      isOutsideWorkspace: false,
      ...(more.edits !== undefined && { edits: more.edits }),
    },
    { clock: more.clock ?? new FakeClock(), logger: silentLogger },
  );
}
