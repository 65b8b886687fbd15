import { SharingPolicy, SpecialFileNames, silentLogger } from '@tandem/core';
import { describe, expect, it } from 'vitest';
import { findMarks, type MarkServices } from '../../src/record/pathMarks.js';

/** Marks a path for an agent, in the workspace `/w`. `links`: where paths lead. */
const find = (path: string, links: Record<string, string> = {}, more: Partial<MarkServices> = {}) =>
  findMarks(
    { path, agent: 'claude' },
    {
      folders: () => ['/w'],
      realPath: async (each) => links[each] ?? each,
      specialFiles: new SpecialFileNames(),
      logger: silentLogger,
      ...more,
    },
  );

describe('the marks of a path', () => {
  it('are those of the file to which a link leads', async () => {
    expect(await find('/w/notes.txt', { '/w/notes.txt': '/w/.envrc' })).toMatchObject({
      special: { kind: 'runs' },
      leadsTo: '/w/.envrc',
      isOutsideWorkspace: false,
    });
    expect(await find('/w/notes.txt', { '/w/notes.txt': '/w/.git/config' })).toMatchObject({
      isInGitFolder: true,
    });
    expect(await find('/w/notes.txt', { '/w/notes.txt': '/etc/motd' })).toMatchObject({
      isOutsideWorkspace: true,
      leadsTo: '/etc/motd',
    });
  });

  it('are also those of its own name, wherever a link leads', async () => {
    expect(await find('/w/.envrc', { '/w/.envrc': '/w/notes.txt' })).toMatchObject({
      special: { kind: 'runs' },
    });
    expect(await find('/w/.git/config', { '/w/.git/config': '/w/a' })).toMatchObject({ isInGitFolder: true });
  });

  it('take one real path of the file, which the sharing policy uses, too', async () => {
    const resolved: string[] = [];
    const files = {
      readText: async () => undefined,
      isOnDisk: async () => true,
      nextTurn: async () => {},
      realPath: async (path: string) => {
        resolved.push(path);
        return path;
      },
    };
    const policy = new SharingPolicy({ files, folders: () => ['/w'], logger: silentLogger });
    await find(
      '/w/a.txt',
      {},
      {
        realPath: (path) => policy.fileCache().realPath(path),
        heldBack: (id, path) => policy.heldBack({ id, ignoreFiles: [] }, path),
      },
    );
    expect(resolved.filter((path) => path === '/w/a.txt')).toHaveLength(1);
  });

  it('say that a path which cannot be resolved is outside, and nothing inspects it', async () => {
    const inspected: string[] = [];
    const marks = await find(
      '/w/a.txt',
      {},
      {
        realPath: async () => {
          throw new Error('ELOOP');
        },
        inspect: async (real) => {
          inspected.push(real);
          return { isExecutable: false, isInGitFolder: false };
        },
      },
    );
    expect(marks.isOutsideWorkspace).toBe(true);
    expect(inspected).toEqual([]);
  });
});
