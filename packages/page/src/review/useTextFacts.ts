import { useEffect, useState } from 'react';
import type { PageReview } from '../wire/index.js';
import type { OpenReview } from './useReview.js';

interface TextFacts {
  readonly isEmpty: boolean;
  /** Whether the text is another one than was proposed, what the host could not take included. */
  readonly isEdited: boolean;
}

/** What the page shows of a text beside the text itself. Drawn again only when one of these facts changes. */
export function useTextFacts(text: OpenReview['text'], review: PageReview): TextFacts {
  const [facts, setFacts] = useState(() => factsOf(text));
  useEffect(() => {
    if (!('onDidChange' in text)) return;
    const look = (): void =>
      setFacts((before) => {
        const now = factsOf(text);
        return before.isEmpty === now.isEmpty && before.isUnsent === now.isUnsent ? before : now;
      });
    look();
    return text.onDidChange(look);
  }, [text]);
  // The host says whether a text is edited; of what it could not take only the page knows.
  return { isEmpty: facts.isEmpty, isEdited: review.isEdited || facts.isUnsent };
}

/** The text as it stands, lines joined by `\n`. */
export function contentOf(text: OpenReview['text']): string {
  return 'content' in text ? text.content : text.toString();
}

function factsOf(text: OpenReview['text']): { isEmpty: boolean; isUnsent: boolean } {
  if (!('isSynced' in text)) return { isEmpty: text.length === 0, isUnsent: false };
  return { isEmpty: text.doc.length === 0, isUnsent: text.detached !== undefined && !text.isSynced };
}
