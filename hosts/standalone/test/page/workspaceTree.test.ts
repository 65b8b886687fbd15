import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { silentLogger } from '@tandem/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { logRefusals, WorkspaceIgnore } from '../../src/page/workspaceIgnore.js';
import { listAllFiles, listFolder } from '../../src/page/workspaceTree.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tree-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

const list = async (folder = root) =>
  (await listFolder(folder, [root])).map(({ kind, name }) => `${kind} ${name}`);
const all = async (folders = [root], limit?: number) =>
  (await listAllFiles(folders, { ...(limit !== undefined && { limit }) })).files.map((path) =>
    relative(root, path),
  );

describe('a folder', () => {
  test('lists folders first, in natural order', async () => {
    write({
      'b10.ts': '',
      'b2.ts': '',
      'A.ts': '',
      'é.ts': '',
      'z/x': '',
      'Y/x': '',
      '.hidden': '',
      '10': '',
      '9': '',
    });
    expect(await list()).toEqual([
      'folder Y',
      'folder z',
      'file .hidden',
      'file 9',
      'file 10',
      'file A.ts',
      'file b2.ts',
      'file b10.ts',
      'file é.ts',
    ]);
  });

  test('lists links with the kind of their target, without pipes and broken links', async () => {
    write({ 'a.txt': '', 'sub/b.txt': '' });
    symlinkSync('a.txt', join(root, 'to-file'));
    symlinkSync('sub', join(root, 'to-folder'));
    symlinkSync('none', join(root, 'to-nothing'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(await list()).toEqual(['folder sub', 'folder to-folder', 'file a.txt', 'file to-file']);
  });

  test('returns an error if it is not a folder or cannot be listed', async () => {
    write({ 'a.txt': '' });
    await expect(list(join(root, 'none'))).rejects.toMatchObject({ code: 'not-found' });
    await expect(list(join(root, 'a.txt'))).rejects.toMatchObject({ code: 'refused' });
  });
});

describe('ignore files', () => {
  test('hide nothing if they are devices, pipes or endless; each is logged once with the reason', async () => {
    write({ 'a.txt': '', 'pipe/b.txt': '', 'endless/c.txt': '' });
    symlinkSync('/dev/zero', join(root, '.gitignore'));
    execFileSync('mkfifo', [join(root, 'pipe/.gitignore')]);
    symlinkSync('/proc/self/pagemap', join(root, 'endless/.gitignore'));
    const logged: string[] = [];
    const warn = (_message: string, fields?: Readonly<Record<string, unknown>>): void =>
      void logged.push(String(fields?.error));
    const onRefused = logRefusals({ ...silentLogger, warn });
    for (let times = 0; times < 2; times++) {
      const { files } = await listAllFiles([root], { ignore: new WorkspaceIgnore([root], onRefused) });
      expect(files.map((path) => relative(root, path)).sort()).toEqual([
        'a.txt',
        'endless/.gitignore',
        'endless/c.txt',
        'pipe/b.txt',
      ]);
    }
    expect(logged.sort()).toEqual([
      `${root}/.gitignore is not read: it is a device and not a regular file.`,
      `${root}/endless/.gitignore is not read: it contains more bytes than its reported size.`,
      `${root}/pipe/.gitignore is not read: it is a named pipe and not a regular file.`,
    ]);
  });

  test('apply in every folder, as in git', async () => {
    write({
      '.git/HEAD': 'ref\n',
      '.git/info/exclude': 'mine.txt\n',
      '.gitignore': 'dist/\n*.log\n!keep.log\n/top.txt\nnode_modules\n',
      'mine.txt': '',
      'top.txt': '',
      'keep.log': '',
      'a.log': '',
      'dist/x': '',
      'node_modules/x/index.js': '',
      'sub/.gitignore': '*.txt\n!*.md\n',
      'sub/top.txt': '',
      'sub/b.md': '',
      'sub/dist/x': '',
      'sub/deep/c.txt': '',
      'sub/deep/d.md': '',
      // "dist/" matches only folders, not this file.
      'other/dist': '',
    });
    expect(await list()).toEqual(['folder other', 'folder sub', 'file .gitignore', 'file keep.log']);
    expect(await list(join(root, 'sub'))).toEqual(['folder deep', 'file .gitignore', 'file b.md']);
    expect(await all()).toEqual([
      '.gitignore',
      'keep.log',
      'other/dist',
      'sub/.gitignore',
      'sub/b.md',
      'sub/deep/d.md',
    ]);
  });

  test('apply from above the workspace, unless they name it as a whole', async () => {
    write({
      '.git/HEAD': 'ref\n',
      '.gitignore': '*.log\nscratch/\n',
      'project/a.log': '',
      'project/b.txt': '',
      'scratch/c.txt': '',
      'scratch/d.log': '',
      'scratch/.gitignore': 'd.*\n',
    });
    expect(await all([join(root, 'project')])).toEqual(['project/b.txt']);
    expect(await all([join(root, 'scratch')])).toEqual(['scratch/.gitignore', 'scratch/c.txt']);
  });
});

describe('all files', () => {
  test('are listed nearest first, each once, without following links to folders', async () => {
    write({ 'sub/deep/c.txt': '', 'sub/b.txt': '', 'a.txt': '' });
    symlinkSync(root, join(root, 'sub/circle'));
    symlinkSync('a.txt', join(root, 'link.txt'));
    expect(await all([root, join(root, 'sub')])).toEqual([
      'a.txt',
      'link.txt',
      'sub/b.txt',
      'sub/deep/c.txt',
    ]);
    expect(await all([join(root, 'none')])).toEqual([]);
  });

  test('are limited in number, which is reported', async () => {
    write(Object.fromEntries(Array.from({ length: 20 }, (_none, at) => [`${at}.txt`, ''])));
    expect(await listAllFiles([root], { limit: 20 })).toMatchObject({ isTruncated: false });
    const { files, isTruncated } = await listAllFiles([root], { limit: 19 });
    expect([files.length, isTruncated]).toEqual([19, true]);
  });
});
