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
const ownPath = /`((?:packages|hosts|e2e|bench|docs|scripts)\/[\w./-]+|test\/[\w/-]+\.[\w.-]+)`/g;
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

describe('docs/security.md', () => {
  const text = readFileSync(join(root, 'docs/security.md'), 'utf8');
  /** The rows of its tables, without the heads. */
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !/^\| (-|Danger|What)/.test(line));

  it('names a test for every measure', () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter((row) => !/`[\w/.-]+\.test\.ts`/.test(row))).toEqual([]);
  });
});
