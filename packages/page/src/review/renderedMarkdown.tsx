import { Markdown } from '@tandem/chat-panel/markdown';
import { EmptyState } from '@tandem/chat-panel/primitives';
import { useDeferredValue, useSyncExternalStore } from 'react';
import styles from './review.module.css';
import { contentOf, type OpenReview } from './useReview.js';

/** A longer text would block the page while it is rendered. */
const longestRendered = 300_000;

/** The file and the proposal as Markdown, side by side where there is room. HTML is shown as text, and nothing is fetched. */
export function RenderedMarkdown({ details, text }: OpenReview) {
  const content = useSyncExternalStore(
    (onChange) => ('onDidChange' in text ? text.onDidChange(onChange) : () => {}),
    () => contentOf(text),
  );
  const proposed = useDeferredValue(content);
  const { original, review } = details;
  if (original.length + proposed.length > longestRendered)
    return (
      <EmptyState>
        <p>This file is too large to be rendered.</p>
      </EmptyState>
    );
  return (
    <div className={styles.rendered}>
      {!review.isNewFile && <Rendered name="Current file, rendered" text={original} />}
      <Rendered name="Proposal, rendered" text={proposed} />
    </div>
  );
}

function Rendered({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section aria-label={name} tabIndex={0}>
      <h3 className="muted small">{name}</h3>
      <Markdown text={text} isStreaming={false} isFile />
    </section>
  );
}
