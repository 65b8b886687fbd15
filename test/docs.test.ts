import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = [
  'README.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/**
 * Paths in code font that are files of this repository: those that begin with one of its folders. Methods of the editor protocol
 * begin with `test/`, too.
 */
const ownPath =
  /`((?:packages|hosts|editors|e2e|e2e-vscode|bench|docs|scripts)\/[\w./-]+|test\/[\w/-]+\.[\w.-]+)`/g;
/** `one`, `two` in `packages/file.ts` */
const namesInFile =
  /((?:`[\w.#-]+`(?:, | and )?)+) in `((?:packages|hosts|editors|scripts)\/[\w./-]+\.\w+)`/g;
const link = /\]\(([^)#\s]+)(#[^)\s]*)?\)/g;

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');

  it('links to pages that exist', () => {
    const targets = [...text.matchAll(link)].map(([, target = '']) => target);
    const missing = targets.filter(
      (target) => !/^https?:/.test(target) && !existsSync(join(root, dirname(page), target)),
    );
    expect(missing).toEqual([]);
  });

  it('names files that exist', () => {
    const named = [...text.matchAll(ownPath)].map(([, path = '']) => path);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

it('docs/architecture.md names what its files contain', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const places = [...page.matchAll(namesInFile)].flatMap(([, names = '', path = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({ name, path })),
  );
  expect(places.length).toBeGreaterThan(30);
  const texts = new Map(places.map(({ path }) => [path, readFileSync(join(root, path), 'utf8')]));
  expect(places.filter(({ name, path }) => texts.get(path)?.includes(name) !== true)).toEqual([]);
});

describe('docs/security.md', () => {
  const text = readFileSync(join(root, 'docs/security.md'), 'utf8');
  /** The rows of its tables, without the heads. */
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !/^\| (-|Danger|What)/.test(line));

  it('names a test for every measure', () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter((row) => !/`[\w/.-]+\.test\.ts`/.test(row))).toEqual([]);
  });
});
