import { Text } from '@codemirror/state';
import { messageOf } from '@tandem/core';
import { type ReviewSummary, RpcError } from '@tandem/rpc';
import { useCallback, useEffect, useState } from 'react';
import { usePage, usePageState } from '../client/pageContext.js';
import type { TextSession } from '../client/textSession.js';
import { reviewTextId } from '../client/textSessions.js';
import { preloadLanguage } from '../code/codeLanguage.js';
import type { PageEvent, PageReviewDetails } from '../wire/index.js';

/** A review with its text: a session, or a constant text if the host no longer has a session. */
export interface OpenReview {
  readonly details: PageReviewDetails;
  readonly text: TextSession | Text;
}

type Loading =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'open'; readonly review: OpenReview };

/** Opens a review. Retries when the host is connected again. */
export function useReview(id: string): Loading & { readonly retry: () => void } {
  const { host, texts } = usePage();
  const [loading, setLoading] = useState<Loading>({ kind: 'loading' });
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  const basis = usePageState((state) => state.reviews.find((review) => review.id === id)?.basis);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt is the reason to ask again, and a new basis.
  useEffect(() => {
    let isClosed = false;
    const open = async (): Promise<void> => {
      const details = await host.request('review.open', { id });
      // A unified view renders removed lines once, with the colours known at that time.
      const [text] = await Promise.all([openText(), preloadLanguage(details.review.path)]);
      if (!isClosed)
        setLoading({ kind: 'open', review: { details, text: text ?? toText(details.text.content) } });
    };
    const openText = async (): Promise<TextSession | undefined> => {
      try {
        return await texts.open(reviewTextId(id));
      } catch (error) {
        // A review that ended long ago has no shared text; its last text came with the review.
        if (error instanceof RpcError && error.code !== 'unreachable') return undefined;
        throw error;
      }
    };
    // The current text stays until the new one is loaded.
    setLoading((before) => (before.kind === 'open' ? before : { kind: 'loading' }));
    open().catch((error: unknown) => {
      if (!isClosed) setLoading({ kind: 'failed', message: messageOf(error) });
    });
    return () => {
      isClosed = true;
    };
  }, [id, attempt, basis, host, texts]);

  const { kind } = loading;
  useEffect(() => {
    if (kind !== 'failed') return;
    return host.onConnection((state) => {
      if (state === 'open') retry();
    });
  }, [kind, host, retry]);

  return { ...loading, retry };
}

/**
 * A part of a review that the host reports: as it was opened, then by events. `read` and `find` are constant functions.
 */
export function useFollowed<T>(
  details: PageReviewDetails,
  read: (details: PageReviewDetails) => T,
  find: (event: PageEvent, id: string) => T | undefined,
): T {
  const { host } = usePage();
  const { id } = details.review;
  const [value, setValue] = useState(() => read(details));
  const [known, setKnown] = useState(details);
  if (known !== details) {
    setKnown(details);
    setValue(read(details));
  }
  useEffect(() => {
    const stops = [
      host.onEvent((event) => setValue((before) => find(event, id) ?? before)),
      // During a lost connection, another page may have changed it.
      host.onConnection((state) => {
        if (state !== 'open') return;
        host.request('review.open', { id }).then(
          (now) => setValue(read(now)),
          // This companion does not know a review of an earlier one.
          () => {},
        );
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [host, id, read, find]);
  return value;
}

/** Which hunks are kept, as the host reports it. */
export function useKeptHunks(details: PageReviewDetails): readonly boolean[] {
  return useFollowed(details, keptIn, newlyKept);
}

const keptIn = ({ hunks }: PageReviewDetails): readonly boolean[] => hunks.map(({ isKept }) => isKept);
const newlyKept = (event: PageEvent, id: string): readonly boolean[] | undefined =>
  event.event === 'hunks' && event.id === id ? event.kept : undefined;

function toText(content: string): Text {
  return Text.of(content.split('\n'));
}

interface TextFacts {
  readonly isEmpty: boolean;
  /** Whether the text differs from the proposal, including text that the host could not receive. */
  readonly isEdited: boolean;
}

/** Facts about a text. The component renders again only when one of them changes. */
export function useTextFacts(text: OpenReview['text'], review: ReviewSummary): TextFacts {
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
  // The host reports whether a text is edited, but does not know text that it could not receive.
  return { isEmpty: facts.isEmpty, isEdited: review.isEdited || facts.isUnsent };
}

/** The current text, lines joined by `\n`. */
export function contentOf(text: OpenReview['text']): string {
  return 'content' in text ? text.content : text.toString();
}

function factsOf(text: OpenReview['text']): { isEmpty: boolean; isUnsent: boolean } {
  if (!('isSynced' in text)) return { isEmpty: text.length === 0, isUnsent: false };
  return { isEmpty: text.doc.length === 0, isUnsent: text.detached !== undefined && !text.isSynced };
}
