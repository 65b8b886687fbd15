import { visibleName } from '@tandem/core';

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
export function shownAddress(address: string): string {
  const shown = visibleName(address.replace(/^https?:\/\//, '').replace(/\/$/, ''));
  return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
}

interface MarkdownNode {
  type: string;
  readonly children?: readonly MarkdownNode[];
}

/** A remark plugin that shows HTML as text. */
export function htmlAsText(): (tree: MarkdownNode) => void {
  return function visit(node: MarkdownNode): void {
    if (node.type === 'html') node.type = 'text';
    for (const child of node.children ?? []) visit(child);
  };
}
