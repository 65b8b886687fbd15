import { type FileContent, findWriting } from '@tandem/reviews';
import { describe, expect, test } from 'vitest';

const text = (content: string): FileContent => ({ kind: 'text', text: content });

const before = "import a from 'a';\nconst one = 1;\nconst two = 2;\nexport { one };\n";
const proposed = "import a from 'a';\nconst one = f( 1,2 );\nconst two = 2;\nexport { one };\n";
const edited = "import a from 'a';\nconst one = f( 1,2 );\nconst two = 2;\nexport { one, corrected };\n";
const unedited = { original: text(before), proposed, content: proposed };
const corrected = { original: text(before), proposed, content: edited };

describe('an accepted text is written', () => {
  test.each<[string, string]>([
    ['contains it', edited],
    ['contains it with the line ends and the mark of the file', `\uFEFF${edited.replaceAll('\n', '\r\n')}`],
    ['contains it and later changes on other lines', edited.replace('two = 2', 'two = 3')],
    ['was formatted right after the write', edited.replace('f( 1,2 )', 'f(1, 2)')],
    ['was formatted over several lines', edited.replace('f( 1,2 )', 'f(\n  1,\n  2,\n)').replaceAll(';', '')],
    ['was formatted with other quotes', edited.replace("'a'", '"a"').replace('f( 1,2 )', 'f(1, 2)')],
  ])('if its file %s', (_what, now) => {
    expect(findWriting(corrected, text(now))).toBe('written');
  });

  test('if the agent has chosen a part of it', () => {
    const chosen = { ...unedited, agentChooses: 'f( 1,2 )' };
    expect(findWriting(chosen, text(proposed.replace('f( 1,2 )', 'g-7')))).toBe('written');
    expect(findWriting(chosen, text(proposed.replace('f( 1,2 )', 'not one word')))).toBe('unwritten');
    expect(findWriting(unedited, text(proposed.replace('f( 1,2 )', 'g-7')))).toBe('unwritten');
  });

  test('if a program removed one of several changes of the agent', () => {
    const content = `import b from 'b';\n${proposed}`;
    const formatted = proposed.replace('f( 1,2 )', 'f(1, 2)');
    expect(findWriting({ ...unedited, proposed: content, content }, text(formatted))).toBe('written');
  });

  test('if lines that it deletes are gone, and others were formatted', () => {
    const content = before.replace('const two = 2;\n', '');
    const formatted = content.replace("'a'", '"a"');
    expect(findWriting({ original: text(before), proposed: content, content }, text(formatted))).toBe(
      'written',
    );
  });

  test('if it is a new file that was formatted', () => {
    const added = { original: { kind: 'missing' } as const, proposed: 'f( 1 )\n', content: 'f( 1 )\n' };
    expect(findWriting(added, text('f(1);\n'))).toBe('written');
  });
});

describe('an accepted text is not written', () => {
  test.each<[string, FileContent]>([
    ['is as it was', text(before)],
    ['has other line ends', text(before.replaceAll('\n', '\r\n'))],
    ['was changed by another program on other lines', text(before.replace('two = 2', 'two = 3'))],
    ['was changed by another program on the same lines', text(before.replace('one = 1', 'one = 7'))],
    ['was formatted', text(before.replaceAll(';', '').replace("'a'", '"a"'))],
    ['was deleted', { kind: 'missing' }],
    ['is no longer text', { kind: 'binary', size: 3 }],
    [
      'has the change of the agent, formatted, without the edits of the user',
      text(proposed.replace('( 1,2 )', '(1, 2)')),
    ],
  ])('if its file %s', (_what, file) => {
    expect(findWriting(corrected, file)).toBe('unwritten');
  });

  test('if the file holds exactly what the agent proposed: it wrote its own text', () => {
    expect(findWriting(corrected, text(proposed))).toBe('proposal');
    expect(findWriting(unedited, text(proposed))).toBe('written');
  });

  test('if a new file is still missing', () => {
    expect(
      findWriting({ original: { kind: 'missing' }, proposed, content: proposed }, { kind: 'missing' }),
    ).toBe('unwritten');
  });
});

test('a text that changes nothing needs no write', () => {
  expect(findWriting({ original: text(before), proposed, content: before }, text(before))).toBe('written');
});

test.each([
  ['written', '', { kind: 'missing' }],
  ['unwritten', '', text(before)],
  ['unwritten', '', text('')],
  ['proposal', edited, { kind: 'missing' }],
  ['written', edited, text(edited)],
] as const)('a deletion is %s if the user left the text %j and the file is %j', (writing, content, now) => {
  const removed = { original: text(before), proposed: '', content, isDeletion: true };
  expect(findWriting(removed, now)).toBe(writing);
});
