import { LanguageDescription } from '@codemirror/language';
import { languages } from '@codemirror/language-data';
import { highlightCode } from '@lezer/highlight';
import { visibleName } from '@tandem/core';
import { Check, Copy, CornerDownLeft } from 'lucide-react';
import { memo, type ReactNode, useEffect, useState } from 'react';
import { codeHighlighter } from '../code/codeHighlighter.js';
import { Button, IconButton, joinClasses } from '../primitives/index.js';
import { useLoaded } from '../primitives/loading.js';
import styles from './cards.module.css';
import { useChat } from './panelState.js';

interface CodeBlockProps {
  readonly code: string;
  /** The info string of the fence. */
  readonly language: string;
  readonly isStreaming: boolean;
}

/** Lines that are shown at first. */
const mostLines = 400;

/** Code in a message. It can be copied, or inserted at the editor's cursor. */
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
    if (isDone) panel.announce('Copied');
  };
  const name = language === '' ? 'text' : visibleName(language);
  return (
    <figure className={styles.box} aria-label={`Code, ${name}`}>
      <figcaption className={joinClasses('line muted', styles.bar)}>
        <span className="grow truncate">{name}</span>
        <IconButton
          icon={isCopied ? Check : Copy}
          label={isCopied ? 'Copied' : 'Copy code'}
          onClick={() => void copy()}
        />
        <IconButton
          icon={CornerDownLeft}
          label="Insert at the cursor"
          onClick={() => void panel.attempt('The code was not inserted', () => host.insertAtCursor(code))}
        />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard. */}
      <pre className={styles.code} tabIndex={0}>
        <code>
          <Coloured code={shown} language={isStreaming ? '' : language} />
        </code>
      </pre>
      {isCut && (
        <Button kind="link" className={styles.more} onClick={() => setShowsAll(true)}>
          Show all {lines.length} lines
        </Button>
      )}
    </figure>
  );
});

/** The code, highlighted once its language is loaded. */
function Coloured({ code, language }: { readonly code: string; readonly language: string }): ReactNode {
  const { value: found } = useLoaded(
    async () => (language === '' ? undefined : { code, parts: await colourCode(code, language) }),
    [code, language],
  );
  if (found?.parts === undefined || found.code !== code) return code;
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

interface ColouredPart {
  readonly text: string;
  /** Such as `tok-keyword`; empty for plain text. */
  readonly classes: string;
}

/** Longer code is not highlighted, because that would be noticeable. */
const longest = 20_000;

/** Highlighted code. Undefined if the language is unknown or cannot be loaded. */
async function colourCode(code: string, language: string): Promise<readonly ColouredPart[] | undefined> {
  if (code.length > longest) return undefined;
  const description = LanguageDescription.matchLanguageName(languages, language, true);
  const support = await description?.load().catch(() => undefined);
  if (support === undefined) return undefined;
  const parts: ColouredPart[] = [];
  highlightCode(
    code,
    support.language.parser.parse(code),
    codeHighlighter,
    (text, classes) => parts.push({ text, classes }),
    () => parts.push({ text: '\n', classes: '' }),
  );
  return parts;
}
