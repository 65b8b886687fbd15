import { pausing } from '@tandem/companion';
import { readIfPossible, WorkspaceFiles } from '@tandem/companion/files';
import { systemClock } from '@tandem/core';
import { FileFollower, type Review } from '@tandem/reviews';
import type { FileServices } from './openDocument.js';

/** Follows the file of a pending review, until the review ends. The caller disposes it. */
export function followReviewFile(review: Review, { logger, watches }: FileServices): FileFollower {
  const files = new WorkspaceFiles();
  return new FileFollower(review, {
    read: (how) => readIfPossible(files, review, how, logger),
    pausing,
    watch: (onTouched) => watches.watch(review.proposal.path, onTouched),
    clock: systemClock,
    logger,
  });
}
