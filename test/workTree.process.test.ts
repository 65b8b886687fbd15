import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { changedPaths, readWorkTree, withoutGitVariables } from '../scripts/workTree.js';

describe('a work tree', () => {
  let folder: string;
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const git = (...args: string[]): void => {
    const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
    const env = withoutGitVariables(process.env);
    execFileSync('git', ['-C', folder, ...author, ...args], { stdio: 'pipe', env });
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'work-tree-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    git('init', '--quiet');
    for (const name of ['kept.txt', 'edited.txt', 'gone.txt', 'mode.sh', 'moved.txt']) write(name, 'one\n');
    write('.gitignore', 'dist/\n');
    git('add', '-A');
    git('commit', '--quiet', '-m', 'begin');
  });

  it('is unchanged if only ignored files changed, whatever was uncommitted before', () => {
    write('edited.txt', 'two\n');
    write('new before.txt', 'new\n');
    const before = readWorkTree(folder);
    expect([...before.keys()].sort()).toEqual(['edited.txt', 'new before.txt']);
    mkdirSync(join(folder, 'dist'));
    write('dist/built.js', 'built\n');
    write('kept.txt', 'one\n');
    expect(changedPaths(before, readWorkTree(folder))).toEqual([]);
  });

  it('reports every path that was written, removed or changed to another kind of file', () => {
    write('edited.txt', 'two\n');
    write('new before.txt', 'new\n');
    const before = readWorkTree(folder);
    mkdirSync(join(folder, 'outside/keys'), { recursive: true });
    write('outside/keys/é\n"quoted".txt', 'new\n');
    write('edited.txt', 'three\n');
    write('new before.txt', 'newer\n');
    chmodSync(join(folder, 'mode.sh'), 0o755);
    for (const name of ['gone.txt', 'moved.txt']) rmSync(join(folder, name));
    symlinkSync('kept.txt', join(folder, 'moved.txt'));
    expect(changedPaths(before, readWorkTree(folder))).toEqual([
      'edited.txt',
      'gone.txt',
      'mode.sh',
      'moved.txt',
      'new before.txt',
      'outside/keys/é\n"quoted".txt',
    ]);
  });

  it('reports paths that are as committed again', () => {
    write('edited.txt', 'two\n');
    const before = readWorkTree(folder);
    write('edited.txt', 'one\n');
    expect(changedPaths(before, readWorkTree(folder))).toEqual(['edited.txt']);
  });

  it('cannot be read outside a repository', () => {
    rmSync(join(folder, '.git'), { recursive: true });
    expect(() => readWorkTree(folder)).toThrow('not a git repository');
  });
});
