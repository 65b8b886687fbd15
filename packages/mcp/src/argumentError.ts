import type * as z from 'zod';

type Issue = z.core.$ZodIssue;

/** More than this many faults say no more than the first ones do. */
const shownIssues = 3;

/**
 * One line that says which arguments of a tool call are wrong, what came, and what is expected. What came is
 * told by its type only: a value could be the content of somebody's file.
 */
export function describeArgumentError(tool: string, input: unknown, issues: readonly Issue[]): string {
  const shown = issues.slice(0, shownIssues).map((issue) => describeIssue(input, issue));
  const hidden = issues.length - shown.length;
  const more = hidden > 0 ? `; and ${hidden} more` : '';
  return `Invalid arguments for ${tool}: ${shown.join('; ')}${more}.`;
}

function describeIssue(input: unknown, issue: Issue): string {
  const field = issue.path.length === 0 ? 'the arguments' : `"${issue.path.map(String).join('.')}"`;
  const came = typeName(valueAt(input, issue.path));
  return `${field} must be ${expectation(issue)}, but ${came} came`;
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return article(issue.expected);
    case 'invalid_value':
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return `at least ${issue.minimum} (${issue.origin})`;
    case 'too_big':
      return `at most ${issue.maximum} (${issue.origin})`;
    case 'invalid_format':
      return `text in the form "${issue.format}"`;
    case 'unrecognized_keys':
      return 'an object without unknown fields';
    case 'invalid_union':
      return 'one of the allowed forms';
    // The texts of custom checks are written by us and hold no value.
    default:
      return `valid: ${issue.message.replaceAll(/\s+/g, ' ')}`;
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

function typeName(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return article(typeof value);
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
