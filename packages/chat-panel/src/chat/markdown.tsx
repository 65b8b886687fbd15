import { visibleName } from '@tandem/core';
import { isValidElement, memo, type ReactNode } from 'react';
import type { Components } from 'react-markdown';
import ReactMarkdown from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from './codeBlock.js';
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

/**
 * Splits Markdown into independent parts, so that only the last part of a growing text is parsed again. Splits where a
 * paragraph, heading, fence or quote starts at the margin after an empty line, but not in fenced code or in a list. A text
 * with reference definitions is not split.
 */
export function splitMarkdown(text: string): readonly string[] {
  if (definition.test(text)) return [text];
  const parts: string[] = [];
  let start = 0;
  let at = 0;
  let fence: string | undefined;
  let isAfterEmpty = false;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end);
    if (fence === undefined && isAfterEmpty && at > start && startsPart.test(line)) {
      parts.push(text.slice(start, at));
      start = at;
    }
    fence = fenceAfter(fence, line);
    isAfterEmpty = fence === undefined && line.trim() === '';
    at = end < 0 ? text.length : end + 1;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}

/** `[name]: address` and `[^note]: text`. */
const definition = /^ {0,3}\[[^\]\n]+\]:/m;
/** Not a list item, whose number depends on earlier items, and not HTML, which may contain empty lines. */
const startsPart = /^(?![-*+] |\d{1,9}[.)] |[-*+]$|<)\S/;

/** The open fence after this line. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  const [, marks = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
  if (open === undefined) {
    // With a backtick in the info string it is inline code.
    if (marks.startsWith('`') && line.slice(line.indexOf(marks) + marks.length).includes('`'))
      return undefined;
    return marks || undefined;
  }
  const isClosing = marks.startsWith(open[0] ?? ' ') && marks.length >= open.length && line.trim() === marks;
  return isClosing ? undefined : open;
}

/** The address of a link, if it is http or https. The host is in the browser's form, so that lookalike letters are visible. */
export function safeAddress(address: string | undefined): string | undefined {
  if (address === undefined || !/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  return username === '' && password === '' ? href : undefined;
}

/** The address next to the link's text. */
function shownAddress(address: string): string {
  const shown = visibleName(address.replace(/^https?:\/\//, '').replace(/\/$/, ''));
  return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
}

interface MarkdownNode {
  type: string;
  readonly children?: readonly MarkdownNode[];
}

/** A remark plugin that shows HTML as text. */
function htmlAsText(): (tree: MarkdownNode) => void {
  return function visit(node: MarkdownNode): void {
    if (node.type === 'html') node.type = 'text';
    for (const child of node.children ?? []) visit(child);
  };
}
