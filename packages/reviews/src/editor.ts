import type { ContextSource, Diagnostics, Disposable, Documents, EditorInfo, Workspace } from '@tandem/core';
import type { Review } from './record/review.js';

/**
 * The editor that the user works in. A host adapts its editor to this interface; no other module knows which editor it
 * is. Capabilities that not every editor has are optional members. When a member is absent, agents are not offered the
 * tools that need it.
 */
export interface Editor {
  readonly info: EditorInfo;
  readonly workspace: Workspace;
  readonly context: ContextSource;
  readonly documents: Documents;
  readonly reviews: {
    /**
     * Shows a pending review without taking the focus. Resolves once the view is about to appear. Rejects when the
     * review cannot be shown, with an `Error` whose message an agent may read. Disposing closes the view; it does not
     * decide the review. A review that ends before its view opens is not shown; that is not an error.
     */
    show(review: Review): Promise<Disposable>;
  };
  readonly diagnostics?: Diagnostics;
}
