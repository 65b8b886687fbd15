/** Reads a nested value of parsed JSON without trusting its shape; `undefined` where the path ends early. */
export function pick(json: unknown, ...path: (string | number)[]): unknown {
  let value = json;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** `pick` for a list: an empty one when the value is missing or no array. */
export function pickList(json: unknown, ...path: (string | number)[]): unknown[] {
  const value = pick(json, ...path);
  return Array.isArray(value) ? value : [];
}

/** `pick` for a text: empty when the value is missing or no string. */
export function pickText(json: unknown, ...path: (string | number)[]): string {
  const value = pick(json, ...path);
  return typeof value === 'string' ? value : '';
}

/** Parses text that should be JSON; `undefined` when it is not. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
