/** Code units of text that are put together at a time. A part of this size takes a few milliseconds. */
const partSize = 1024 * 1024;

/**
 * The JSON of plain data in parts, for whoever has other work to do between them: one of a large text in one piece keeps
 * everybody waiting. The data must not change meanwhile.
 */
export function* jsonParts(value: unknown): Generator<string> {
  let part = '';
  for (const piece of pieces(value)) {
    part += piece;
    if (part.length < partSize) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
}

function* pieces(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length > partSize) {
    yield '"';
    // A pair of code units that is cut apart is escaped on both sides, and is one character again when it is read.
    for (let at = 0; at < value.length; at += partSize) {
      yield JSON.stringify(value.slice(at, at + partSize)).slice(1, -1);
    }
    yield '"';
  } else if (Array.isArray(value)) {
    yield '[';
    for (const [index, each] of value.entries()) {
      if (index > 0) yield ',';
      yield* pieces(each ?? null);
    }
    yield ']';
  } else if (typeof value === 'object' && value !== null) {
    const present = Object.entries(value).filter(([, each]) => each !== undefined);
    yield '{';
    for (const [index, [key, each]] of present.entries()) {
      yield `${index > 0 ? ',' : ''}${JSON.stringify(key)}:`;
      yield* pieces(each);
    }
    yield '}';
  } else yield JSON.stringify(value);
}
