/** A value in a text of JSON, with its place. */
export interface JsonNode {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** The members of an object, or the elements of a list. */
  readonly children?: readonly JsonChild[];
}

/** `start`: where its name begins, if it has one. `comma`: where the comma behind it is. */
export interface JsonChild {
  readonly name?: string;
  readonly start: number;
  readonly node: JsonNode;
  readonly comma?: number;
}

const space = /\s*/y;
const spaceAndComments = /(?:\s|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y;
const token = /"(?:[^"\\]|\\.)*"|[-+.\w]+/y;

/** Finds the values in a text of JSON. @throws TypeError if it is none, without quoting it */
export function parseJsonText(text: string, { comments }: { readonly comments: boolean }): JsonNode {
  const gap = comments ? spaceAndComments : space;
  let at = 0;

  function take(pattern: RegExp): string {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  }

  function isNext(character: string): boolean {
    take(gap);
    if (text[at] !== character) return false;
    at += 1;
    return true;
  }

  function fail(): never {
    throw new TypeError(
      comments
        ? 'it is not valid JSON'
        : 'it is not valid JSON, which allows no comments and no trailing commas',
    );
  }

  function readScalar(): unknown {
    try {
      return JSON.parse(take(token));
    } catch {
      return fail();
    }
  }

  function readChildren(end: string, hasNames: boolean): JsonChild[] {
    const children: JsonChild[] = [];
    if (isNext(end)) return children;
    for (;;) {
      take(gap);
      const start = at;
      const name = hasNames ? readScalar() : undefined;
      if (hasNames && (typeof name !== 'string' || !isNext(':'))) fail();
      const child = { start, node: readNode(), ...(typeof name === 'string' && { name }) };
      if (isNext(',')) {
        children.push({ ...child, comma: at - 1 });
        continue;
      }
      children.push(child);
      return isNext(end) ? children : fail();
    }
  }

  function readNode(): JsonNode {
    take(gap);
    const start = at;
    if (isNext('{')) {
      const children = readChildren('}', true);
      const value = Object.fromEntries(children.map(({ name, node }) => [name, node.value]));
      return { start, end: at, value, children };
    }
    if (isNext('[')) {
      const children = readChildren(']', false);
      return { start, end: at, value: children.map(({ node }) => node.value), children };
    }
    const value = readScalar();
    return { start, end: at, value };
  }

  const root = readNode();
  take(gap);
  if (at < text.length || text.startsWith('\ufeff')) fail();
  return root;
}

/** The member with this name. Of several, the last one applies. */
export function memberOf({ children = [] }: JsonNode, name: string): JsonChild | undefined {
  return children.findLast((child) => child.name === name);
}

/**
 * Adds a last child, in the style of the text. What is there stays, byte by byte. A child of an empty value stays on its line, after a
 * space: so `removeChild` can tell that the value was there before.
 */
export function addChild(text: string, parent: JsonNode, value: unknown, name?: string): string {
  const last = parent.children?.at(-1);
  const prefix = name === undefined ? '' : `${JSON.stringify(name)}: `;
  if (last === undefined) {
    const indent = /^[^\S\n]*/.exec(lineBefore(text, parent.start))?.[0] ?? '';
    return insert(text, parent.start + 1, ` ${prefix}${print(value, text, indent)}`);
  }
  if (!text.slice(parent.start, last.start).includes('\n')) {
    const isSpaced = /^. |[,:] /.test(text.slice(parent.start, parent.end));
    const compact = isSpaced ? prefix : prefix.trimEnd();
    return insert(text, last.node.end, `,${isSpaced ? ' ' : ''}${compact}${JSON.stringify(value)}`);
  }
  const indent = /^\s*/.exec(lineBefore(text, last.start))?.[0] ?? '';
  const child = `${lineEnd(text)}${indent}${prefix}${print(value, text, indent)}`;
  // A comment behind the last child stays with it.
  const [behind = ''] = /^[^\S\n]*(?:\/\/[^\r\n]*|\/\*[^\n]*?\*\/)/.exec(text.slice(last.node.end)) ?? [];
  return `${text.slice(0, last.node.end)},${behind}${child}${text.slice(last.node.end + behind.length)}`;
}

/** Removes what `addChild` has added. */
export function removeChild(text: string, parent: JsonNode, child: JsonChild): string {
  const { children = [] } = parent;
  const at = children.indexOf(child);
  const before = children[at - 1]?.comma;
  const { comma, node } = child;
  // Comments stay.
  const gap = text.slice((before ?? parent.start) + 1, child.start);
  const start = child.start - (/\s*$/.exec(gap)?.[0].length ?? 0);
  const end = text.slice(node.end);
  if (comma !== undefined) return text.slice(0, start) + text.slice(node.end, comma) + text.slice(comma + 1);
  if (before === undefined) return text.slice(0, start) + end;
  return text.slice(0, before) + text.slice(before + 1, start) + end;
}

/** Whether `addChild` has added its only child to a value that was empty, and not the whole value. */
export function wasEmpty(text: string, { start, children = [] }: JsonNode): boolean {
  return children.length === 1 && /^. \S/.test(text.slice(start, start + 3));
}

/** A value in the style of the text. */
export function print(value: unknown, text: string, indent = ''): string {
  const unit = /^[{[][^\S\n]*\r?\n([\t ]+)/.exec(text.trimStart())?.[1] ?? '  ';
  return JSON.stringify(value, undefined, unit).replaceAll('\n', `${lineEnd(text)}${indent}`);
}

function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function lineBefore(text: string, at: number): string {
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}
