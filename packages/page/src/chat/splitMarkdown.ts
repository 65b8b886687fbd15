/**
 * Cuts a markdown text into parts that mean the same alone as together, so that a text that still grows is parsed anew in
 * its last part only. It cuts where a paragraph, heading, fence or quote begins at the margin after an empty line, and
 * nowhere else: not in fenced code, and not in a list. A text that defines references, which count for all of it, stays whole.
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
/** Not an item of a list, whose number depends on those before it, nor HTML, which may go on over empty lines. */
const startsPart = /^(?![-*+] |\d{1,9}[.)] |[-*+]$|<)\S/;

/** The fence that is open after this line. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  const [, marks = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
  if (open === undefined) {
    // An info string with a backtick makes it a span of code.
    if (marks.startsWith('`') && line.slice(line.indexOf(marks) + marks.length).includes('`'))
      return undefined;
    return marks || undefined;
  }
  const isClosing = marks.startsWith(open[0] ?? ' ') && marks.length >= open.length && line.trim() === marks;
  return isClosing ? undefined : open;
}
