import { visibleName } from '@tandem/core';
import { Check, Copy, CornerDownLeft } from 'lucide-react';
import { memo, type ReactNode, useEffect, useState } from 'react';
import { IconButton } from '../primitives/button.js';
import { useChat } from './chatContext.js';
import styles from './codeBlock.module.css';
import { type ColouredPart, colourCode } from './colourCode.js';

interface CodeBlockProps {
  readonly code: string;
  /** As the fence names it. */
  readonly language: string;
  readonly isStreaming: boolean;
}

/** So many lines are shown at first. */
const mostLines = 400;

/** Code in a message, to be copied or put where the caret of the editor is. */
export const CodeBlock = memo(function CodeBlock({ code, language, isStreaming }: CodeBlockProps) {
  const { host, panel } = useChat();
  const [isCopied, setCopied] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  const lines = code.split('\n');
  const isCut = !showsAll && lines.length > mostLines;
  const shown = isCut ? lines.slice(0, mostLines).join('\n') : code;
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    const isDone = await panel.attempt('The code was not copied', () => navigator.clipboard.writeText(code));
    setCopied(isDone);
    if (isDone) panel.say('Copied');
  };
  const name = language === '' ? 'text' : visibleName(language);
  return (
    <figure className={styles.block} aria-label={`Code, ${name}`}>
      <figcaption className={styles.bar}>
        <span className={styles.language}>{name}</span>
        <IconButton
          icon={isCopied ? Check : Copy}
          label={isCopied ? 'Copied' : 'Copy code'}
          className={styles.button}
          onClick={() => void copy()}
        />
        <IconButton
          icon={CornerDownLeft}
          label="Insert at the cursor"
          className={styles.button}
          onClick={() => void panel.attempt('The code was not inserted', () => host.insertAtCursor(code))}
        />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <pre className={styles.code} tabIndex={0}>
        <code>
          <Coloured code={shown} language={isStreaming ? '' : language} />
        </code>
      </pre>
      {isCut && (
        <button type="button" className={styles.more} onClick={() => setShowsAll(true)}>
          Show all {lines.length} lines
        </button>
      )}
    </figure>
  );
});

/** The code with the colours of its language, once they are there. */
function Coloured({ code, language }: { readonly code: string; readonly language: string }): ReactNode {
  const [found, setFound] = useState<{ readonly code: string; readonly parts: readonly ColouredPart[] }>();
  useEffect(() => {
    if (language === '') return;
    let isGone = false;
    void colourCode(code, language).then((parts) => {
      if (!isGone && parts !== undefined) setFound({ code, parts });
    });
    return () => {
      isGone = true;
    };
  }, [code, language]);
  if (found?.code !== code) return code;
  return found.parts.map(({ text, classes }, index) =>
    classes === '' ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the code does not change.
      <span key={index} className={classes}>
        {text}
      </span>
    ),
  );
}
