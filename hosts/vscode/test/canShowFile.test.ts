import { expect, test } from 'vitest';
import { canShowFile } from '../src/reviews/reviewView.js';

test('the file itself is one side of a diff only if VS Code decodes it as Tandem does', async () => {
  const canShow = (text: string, encoding?: string) =>
    canShowFile({ original: { kind: 'text', text, encoding } }, '/workspace/a.txt');
  expect(await canShow('one\n')).toBe(true);
  expect(await canShow('你好\n', 'GB18030')).toBe(false);
  expect(await canShow('\uFEFFone\n', 'UTF-16LE')).toBe(false);
  expect(await canShow('a\0b\n')).toBe(false);
});
