import { Text } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { findIndentation, findLanguage, isHighlightable } from '../src/code/codeLanguage.js';

const textOf = (content: string): Text => Text.of(content.split('\n'));

describe('findIndentation', () => {
  it.each([
    ['tabs', 'a\n\tb\n\t\tc\n', '\t'],
    ['two spaces', 'a {\n  b {\n    c\n  }\n}\n', '  '],
    ['four spaces', 'def a():\n    if b:\n        c\n', '    '],
    ['two spaces beside block comments', '/**\n * a\n * b\n */\nx {\n  y\n}\n', '  '],
  ])('finds %s', (_name, content, unit) => {
    expect(findIndentation(textOf(content))).toBe(unit);
  });

  it('does not guess where nothing is indented', () => {
    expect(findIndentation(textOf('a\nb\n'))).toBeUndefined();
  });
});

describe('findLanguage', () => {
  it.each([
    ['/w/a.ts', 'TypeScript'],
    ['/w/a.mts', 'TypeScript'],
    ['/w/a.tsx', 'TSX'],
    ['/w/tsconfig.jsonc', 'JSON'],
    ['C:\\w\\Dockerfile', 'Dockerfile'],
    ['/w/.bashrc', 'Shell'],
    ['/w/Cargo.lock', 'TOML'],
    ['/w/main.go', 'Go'],
    ['/w/README.md', 'Markdown'],
  ])('knows %s', (path, name) => {
    expect(findLanguage(path)?.name).toBe(name);
  });

  it('does not guess', () => {
    expect(findLanguage('/w/unknown.zzz')).toBeNull();
  });
});

describe('isHighlightable', () => {
  it('leaves a large file and a very long line without colours', () => {
    expect(isHighlightable(textOf('short\n'))).toBe(true);
    expect(isHighlightable(textOf('x'.repeat(30_000)))).toBe(false);
    expect(isHighlightable(textOf('some words\n'.repeat(250_000)))).toBe(false);
  });
});
