import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRecorder, createToken } from '../src/index.js';

function record(message: unknown, options: { includeContents?: boolean; secrets?: string[] } = {}): string {
  const lines: string[] = [];
  const recorder = createRecorder({
    write: (line) => lines.push(line),
    clock: { now: () => 1234 },
    secrets: [],
    ...options,
  });
  recorder.record({ endpoint: 'gemini', session: 's1', direction: 'in', message });
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

const messageOf = (line: string) => JSON.parse(line).message;

describe('the recorder', () => {
  test('writes one line of JSON with time, endpoint, session and direction', () => {
    const line = record({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(line).not.toContain('\n');
    expect(JSON.parse(line)).toEqual({
      t: 1234,
      endpoint: 'gemini',
      session: 's1',
      direction: 'in',
      message: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
  });

  test('keeps the words of the protocol and replaces the contents of files', () => {
    const message = {
      jsonrpc: '2.0',
      id: 'a',
      method: 'tools/call',
      params: { name: 'openDiff', arguments: { filePath: '/w/a.ts', newContent: 'const a = 1;\n' } },
    };
    expect(messageOf(record(message))).toEqual({
      ...message,
      params: { name: 'openDiff', arguments: { filePath: '/w/a.ts', newContent: '<13 chars>' } },
    });
  });

  test('keeps the constants that answer a review, but not the text beside them', () => {
    const message = {
      result: {
        content: [
          { type: 'text', text: 'FILE_SAVED' },
          { type: 'text', text: 'secret plan' },
        ],
      },
    };
    expect(messageOf(record(message)).result.content).toEqual([
      { type: 'text', text: 'FILE_SAVED' },
      { type: 'text', text: '<11 chars>' },
    ]);
  });

  test('keeps lists of paths', () => {
    expect(messageOf(record({ file_paths: ['/a', '/b'] }))).toEqual({ file_paths: ['/a', '/b'] });
  });

  test('replaces text too long for a path in a safe field', () => {
    expect(messageOf(record({ path: 'x'.repeat(5000) }))).toEqual({ path: '<5000 chars>' });
  });

  test('replaces a key that is not a name', () => {
    expect(messageOf(record({ 'const a = 1;\nconst b = 2;': true }))).toEqual({ '<25 chars>': true });
  });

  test('keeps contents on request, but never a secret', () => {
    const secret = createToken(32);
    const line = record(
      { newContent: `token=${secret};`, [`x-${secret}`]: 1, filePath: `/w/${secret}/a` },
      { includeContents: true, secrets: [secret] },
    );
    expect(messageOf(line)).toEqual({
      newContent: 'token=<secret>;',
      'x-<secret>': 1,
      filePath: '/w/<secret>/a',
    });
  });

  test('replaces a secret that contains another one', () => {
    expect(messageOf(record({ id: 'abcdef' }, { secrets: ['abc', 'abcdef'] }))).toEqual({ id: '<secret>' });
  });

  test('survives a deeply nested message', () => {
    let message: unknown = 'bottom';
    for (let depth = 0; depth < 100_000; depth++) message = [message];
    expect(record(message)).toContain('<too deep>');
  });

  test('ignores a line that cannot be written', () => {
    const recorder = createRecorder({
      write: () => {
        throw new Error('disk full');
      },
      clock: { now: () => 0 },
      secrets: [],
    });
    recorder.record({ endpoint: 'e', session: 's', direction: 'out', message: {} });
  });
});

describe('redaction, for any message', () => {
  /** Long enough and odd enough to appear in a line only if it was copied there. */
  const content = fc.stringMatching(/^[A-Z]{12,40}$/).map((text) => `~${text}~`);
  const secret = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => Buffer.from(bytes).toString('base64url'));
  const anyMessage = (leaf: fc.Arbitrary<unknown>, key: fc.Arbitrary<string>) =>
    fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(key, tie('node'), { maxKeys: 4 }),
      ),
    })).node;
  const unsafeKey = fc.constantFrom(
    'text',
    'content',
    'newContent',
    'new_file_contents',
    'selectedText',
    'message',
    '__proto__',
    'x',
  );

  test('keeps no text in unknown fields', () => {
    const textsAndMessage = fc
      .array(content, { minLength: 1, maxLength: 5 })
      .chain((texts) => fc.tuple(fc.constant(texts), anyMessage(fc.constantFrom(...texts), unsafeKey)));
    fc.assert(
      fc.property(textsAndMessage, ([texts, params]) => {
        const line = record({ params });
        for (const text of texts) expect(line).not.toContain(text);
      }),
    );
  });

  test('keeps no secret anywhere', () => {
    const tokenAndMessage = fc.tuple(secret, fc.string(), fc.string()).chain(([token, before, after]) => {
      const leaf = fc.constantFrom<unknown>(token, `${before}${token}${after}`, token + token, 7, null);
      const key = fc.constantFrom(token, `${before}${token}`, 'method', 'path', 'text');
      return fc.tuple(fc.constant(token), anyMessage(leaf, key));
    });
    fc.assert(
      fc.property(tokenAndMessage, fc.boolean(), ([token, message], includeContents) => {
        expect(record({ message }, { includeContents, secrets: [token] })).not.toContain(token);
      }),
    );
  });

  test('keeps numbers, booleans, null and the structure', () => {
    const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(anyMessage(leaf, fc.constantFrom('a', 'b', 'result', 'params')), (message) => {
        expect(messageOf(record(message))).toEqual(message);
      }),
    );
  });

  test('never changes the message itself', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (message) => {
        const before = JSON.stringify(message);
        record(message, { secrets: ['a'] });
        expect(JSON.stringify(message)).toBe(before);
      }),
    );
  });
});
