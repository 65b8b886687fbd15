import type { Companion } from '@tandem/companion';
import type { Editor } from '@tandem/core';
import type { CompanionHost } from './companionHost.js';
import type { ReviewView } from './reviews/reviewView.js';
import type { ReviewViews } from './reviews/reviewViews.js';

/** What tests reach of the extension, from another extension of the same extension host. */
export interface ExtensionUnderTest {
  readonly editor: Editor;
  readonly companion: () => Companion | undefined;
  readonly reviews: () => readonly ReviewView[];
}

/** Exports the inside for tests. Other extensions get nothing: they could accept what an agent proposes. */
export function exposeForTests(inside: {
  readonly host: CompanionHost;
  readonly editor: Editor;
  readonly views: ReviewViews;
}): ExtensionUnderTest | undefined {
  if (process.env.TANDEM_VSCODE_TEST === undefined) return undefined;
  const { host, editor, views } = inside;
  return { editor, companion: () => host.companion, reviews: () => views.all };
}
