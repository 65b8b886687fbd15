import { isValidElement, memo, type ReactNode } from 'react';
import type { Components } from 'react-markdown';
import ReactMarkdown from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from './codeBlock.js';
import { htmlAsText, safeAddress, shownAddress, splitMarkdown } from './markdownText.js';
import styles from './messages.module.css';

interface MarkdownProps {
  readonly text: string;
  /** The text still grows: its code is highlighted at the end. */
  readonly isStreaming: boolean;
  /** A file, not a message: its code has no buttons. */
  readonly isFile?: boolean;
}

/** A message of the model. HTML is shown as text, nothing is fetched, and only http(s) becomes a link. */
export const Markdown = memo(function Markdown({ text, isStreaming, isFile = false }: MarkdownProps) {
  const parts = splitMarkdown(text);
  const last = parts.length - 1;
  return (
    <div className={styles.markdown}>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end.
        <Part key={index} text={part} isStreaming={isStreaming && index === last} isFile={isFile} />
      ))}
    </div>
  );
});

const Part = memo(function Part({ text, isStreaming, isFile }: MarkdownProps) {
  return (
    <ReactMarkdown
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      components={isFile ? ofFile : isStreaming ? growing : finished}
      urlTransform={(address) => safeAddress(address) ?? ''}
    >
      {text}
    </ReactMarkdown>
  );
});

const remarkPlugins = [remarkGfm, htmlAsText];
const schema = {
  ...defaultSchema,
  tagNames: defaultSchema.tagNames ?? [],
  protocols: { ...defaultSchema.protocols, href: ['http', 'https'], src: ['http', 'https'] },
};
const rehypePlugins = [[rehypeSanitize, schema] satisfies [typeof rehypeSanitize, typeof schema]];

const finished = components(false);
const growing = components(true);
const ofFile: Components = { ...finished, pre: ({ children }) => <pre>{children}</pre> };

function components(isStreaming: boolean): Components {
  return {
    // Keeps the outline of the page.
    h1: ({ children }) => <Heading level={1}>{children}</Heading>,
    h2: ({ children }) => <Heading level={2}>{children}</Heading>,
    h3: ({ children }) => <Heading level={3}>{children}</Heading>,
    h4: ({ children }) => <Heading level={4}>{children}</Heading>,
    h5: ({ children }) => <Heading level={4}>{children}</Heading>,
    h6: ({ children }) => <Heading level={4}>{children}</Heading>,
    a: ({ href, children }) => <Link address={href}>{children}</Link>,
    img: ({ src, alt }) => (
      <span className="muted small">
        [picture: {alt || 'without a name'}
        {typeof src === 'string' && src !== '' && `, ${shownAddress(src)}`}]
      </span>
    ),
    pre: ({ children }) => {
      const { code, language } = codeOf(children);
      return <CodeBlock code={code} language={language} isStreaming={isStreaming} />;
    },
    table: ({ children }) => (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
      <section className="scrolls small" tabIndex={0} aria-label="Table">
        <table>{children}</table>
      </section>
    ),
    input: ({ checked }) => (
      <span role="img" aria-label={checked ? 'Done' : 'To do'}>
        {checked ? '☑ ' : '☐ '}
      </span>
    ),
  };
}

function Heading({ level, children }: { readonly level: number; readonly children: ReactNode }) {
  return <h3 data-level={level}>{children}</h3>;
}

/** A link shows its address next to a different text. */
function Link({ address, children }: { readonly address: string | undefined; readonly children: ReactNode }) {
  const href = safeAddress(address);
  if (href === undefined) return children;
  const shown = shownAddress(href);
  const isBare =
    typeof children === 'string' && [href, shown, `${shown}/`].includes(children.replace(/^https?:\/\//, ''));
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
        {children}
      </a>
      {!isBare && children !== href && <span className="muted small"> ({shown})</span>}
    </>
  );
}

/** The content of a block's `code` element. */
function codeOf(children: ReactNode): { readonly code: string; readonly language: string } {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) {
    return { code: String(children ?? ''), language: '' };
  }
  const { className = '', children: code } = children.props;
  const [, language = ''] = /(?:^| )language-(\S+)/.exec(className) ?? [];
  return { code: String(code ?? '').replace(/\n$/, ''), language };
}
