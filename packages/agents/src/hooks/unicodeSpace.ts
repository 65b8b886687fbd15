/** White space as Unicode defines it. JavaScript also trims U+FEFF, and not U+0085. */
const isSpace = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Without the white space at the end. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Without the white space at both ends. */
export function trim(text: string): string {
  const rest = trimEnd(text);
  let start = 0;
  while (start < rest.length && isSpace.test(rest.charAt(start))) start += 1;
  return rest.slice(start);
}
