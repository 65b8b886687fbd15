/** Reads a nested value of parsed JSON without trusting its shape; `undefined` where the path ends early. */
export function pick(json: unknown, ...path: (string | number)[]): unknown {
  let value = json;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** `pick` for a list: an empty one if the value is missing or not an array. */
export function pickList(json: unknown, ...path: (string | number)[]): unknown[] {
  const value = pick(json, ...path);
  return Array.isArray(value) ? value : [];
}

/** `pick` for a text: empty if the value is missing or not a string. */
export function pickText(json: unknown, ...path: (string | number)[]): string {
  const value = pick(json, ...path);
  return typeof value === 'string' ? value : '';
}

/** Parses JSON; `undefined` if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
