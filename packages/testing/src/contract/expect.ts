import type { DocumentError, Path } from '@tandem/core';
import type { EditorUnderTest } from '../editorUnderTest.js';

/** The maximum time for asynchronous effects of a call in a real editor. */
export const contractTimeoutMs = 5000;
const pollMs = 10;

/** Throws unless the condition is true. */
export function expect(fact: boolean, what: string): asserts fact {
  if (!fact) throw new Error(`Expected ${what}.`);
}

/** Throws unless both are the same, compared as JSON. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) throw new Error(`Expected ${what} to be ${should}, but it is ${is}.`);
}

/** Waits until the condition is true. */
export async function eventually(
  host: Pick<EditorUnderTest, 'clock'>,
  fact: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  const { clock } = host;
  const deadline = clock.now() + contractTimeoutMs;
  while (!(await fact())) {
    if (clock.now() >= deadline) throw new Error(`Expected ${what} within ${contractTimeoutMs} ms.`);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, pollMs));
  }
}

/** Throws unless `action` rejects with a `DocumentError` of that code whose message names the path. */
export async function expectDocumentError(
  action: () => Promise<unknown>,
  code: DocumentError['code'],
  path: Path,
): Promise<void> {
  const error = await action().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  // By name: a host's bundle can contain its own copy of the class.
  const isDocumentError = error instanceof Error && error.name === 'DocumentError' && 'code' in error;
  expect(isDocumentError, `a DocumentError "${code}", but it is ${String(error)}`);
  expectEqual(error.code, code, 'the code of the error');
  expect(error.message.includes(path), `the message to name ${path}, but it is "${error.message}"`);
}

/** Whether a path is absolute, on any system. */
export function isAbsolutePath(path: Path): boolean {
  return /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path);
}
