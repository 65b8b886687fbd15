import { silentLogger } from '@tandem/core';
import { FakeFiles } from '@tandem/testing';
import { describe, expect, it } from 'vitest';
import { claude, gemini, policyFor, qwen } from './policyFor.js';

describe('an ignore file', () => {
  it('holds files back from its own agent only', async () => {
    const { isShared } = policyFor({ '/ws/.geminiignore': '*.log\n', '/ws/.qwenignore': 'dist\n' });
    expect(await isShared('/ws/a.log', gemini)).toBe(false);
    expect(await isShared('/ws/a.log', qwen)).toBe(true);
    expect(await isShared('/ws/dist/a', gemini)).toBe(true);
    expect(await isShared('/ws/dist/a', qwen)).toBe(false);
    expect(await isShared('/ws/a.log', claude)).toBe(true);
  });

  it('names itself in the reason', async () => {
    expect(await policyFor({ '/ws/.geminiignore': '*.log' }).reason('/ws/a.log')).toBe(
      '.geminiignore excludes it',
    );
  });

  it('is read in every folder on the path, and a deeper one overrides', async () => {
    const { isShared } = policyFor({
      '/ws/.geminiignore': '*.log\nbuild/\n/top.txt\n',
      '/ws/pkg/.geminiignore': '!keep.log\n!build/\n*.tmp\n/only-here.txt\nsub/anchored.txt\n',
    });
    expect(await isShared('/ws/pkg/a.log')).toBe(false);
    expect(await isShared('/ws/pkg/keep.log')).toBe(true);
    expect(await isShared('/ws/pkg/deep/keep.log')).toBe(true);
    expect(await isShared('/ws/keep.log')).toBe(false);
    expect(await isShared('/ws/build/a')).toBe(false);
    expect(await isShared('/ws/pkg/build/a')).toBe(true);
    expect(await isShared('/ws/pkg/build/a.log')).toBe(false);
    expect(await isShared('/ws/pkg/x.tmp')).toBe(false);
    expect(await isShared('/ws/x.tmp')).toBe(true);
    expect(await isShared('/ws/pkg/only-here.txt')).toBe(false);
    expect(await isShared('/ws/pkg/deep/only-here.txt')).toBe(true);
    expect(await isShared('/ws/pkg/sub/anchored.txt')).toBe(false);
    expect(await isShared('/ws/pkg/deep/sub/anchored.txt')).toBe(true);
    expect(await isShared('/ws/pkg/top.txt')).toBe(true);
  });

  it('cannot re-include a file in an ignored folder', async () => {
    const { isShared } = policyFor({
      '/ws/.geminiignore': 'secret/\n!secret/public.txt\n',
      '/ws/secret/.geminiignore': '!public.txt\n!*\n',
    });
    expect(await isShared('/ws/secret/public.txt')).toBe(false);
    expect(await isShared('/ws/secret/deep/public.txt')).toBe(false);
  });

  it('re-includes a file that it ignored itself', async () => {
    const { isShared } = policyFor({ '/ws/.geminiignore': 'logs/*\n!logs/keep.txt\n' });
    expect(await isShared('/ws/logs/a.txt')).toBe(false);
    expect(await isShared('/ws/logs/keep.txt')).toBe(true);
  });

  it('is read again when it is changed, created or deleted', async () => {
    const { disk, isShared } = policyFor();
    expect(await isShared('/ws/pkg/a.log')).toBe(true);
    disk.write('/ws/.geminiignore', '*.log');
    expect(await isShared('/ws/pkg/a.log')).toBe(false);
    disk.write('/ws/pkg/.geminiignore', '!a.log');
    expect(await isShared('/ws/pkg/a.log')).toBe(true);
    disk.write('/ws/pkg/.geminiignore', '');
    expect(await isShared('/ws/pkg/a.log')).toBe(false);
    disk.remove('/ws/.geminiignore');
    expect(await isShared('/ws/pkg/a.log')).toBe(true);
  });

  it('may begin with a byte order mark, and have Windows line ends, comments and escapes', async () => {
    const { isShared } = policyFor({
      '/ws/.geminiignore': '\uFEFF# comment\r\nfirst.txt\r\n\r\nlast.txt\r\n',
      '/ws/pkg/.geminiignore': '\uFEFFnested.txt\r\n\\#hash\r\n\\!bang\r\n#comment\r\n/\r\n//\r\n',
    });
    expect(await isShared('/ws/first.txt')).toBe(false);
    expect(await isShared('/ws/last.txt')).toBe(false);
    expect(await isShared('/ws/comment')).toBe(true);
    expect(await isShared('/ws/pkg/nested.txt')).toBe(false);
    expect(await isShared('/ws/pkg/#hash')).toBe(false);
    expect(await isShared('/ws/pkg/!bang')).toBe(false);
    expect(await isShared('/ws/pkg/#comment')).toBe(true);
    expect(await isShared('/ws/pkg/other')).toBe(true);
  });

  it('applies in folders whose names are patterns', async () => {
    const { isShared } = policyFor({
      '/ws/[a]*? !#/.geminiignore': 'x.txt\n',
      '/ws/.geminiignore': 'y.txt\n',
    });
    expect(await isShared('/ws/[a]*? !#/x.txt')).toBe(false);
    expect(await isShared('/ws/[a]*? !#/y.txt')).toBe(false);
    expect(await isShared('/ws/b/x.txt')).toBe(true);
    expect(await isShared('/ws/[a]*? !#/z.txt')).toBe(true);
  });

  it('applies in each workspace folder, but not above or outside', async () => {
    const { isShared } = policyFor(
      { '/one/.geminiignore': 'x', '/two/.geminiignore': 'y', '/.geminiignore': '*' },
      { folders: () => ['/one', '/two'] },
    );
    expect(await isShared('/one/x')).toBe(false);
    expect(await isShared('/two/x')).toBe(true);
    expect(await isShared('/two/y')).toBe(false);
    expect(await isShared('/three/x')).toBe(true);
  });

  it('applies in folders that are opened later', async () => {
    let folders: string[] = [];
    const { isShared } = policyFor({ '/ws/.geminiignore': 'x' }, { folders: () => folders });
    expect(await isShared('/ws/x')).toBe(true);
    folders = ['/ws'];
    expect(await isShared('/ws/x')).toBe(false);
  });

  it('can have its own path and syntax per agent, and one file does not override another', async () => {
    const { isShared } = policyFor({
      '/ws/.claude/settings.json': '*.sql private/**',
      '/ws/.claude/settings.local.json': '*.csv !*.sql',
    });
    expect(await isShared('/ws/db/a.sql', claude)).toBe(false);
    expect(await isShared('/ws/a.csv', claude)).toBe(false);
    expect(await isShared('/ws/private/a/b.txt', claude)).toBe(false);
    expect(await isShared('/ws/a.txt', claude)).toBe(true);
  });

  it('applies on Windows, in either case of the drive letter', async () => {
    const texts: Record<string, string> = {
      'C:\\ws\\.geminiignore': 'private\\\nprivate/\n',
      'C:\\ws\\pkg\\.geminiignore': 'x.txt',
    };
    const { isShared } = policyFor(
      {},
      {
        folders: () => ['C:\\ws'],
        files: Object.assign(new FakeFiles(), {
          readText: async (path: string) => texts[path],
          realPath: async (path: string) => path,
        }),
      },
    );
    expect(await isShared('c:\\ws\\private\\a.txt')).toBe(false);
    expect(await isShared('C:\\ws\\pkg\\x.txt')).toBe(false);
    expect(await isShared('C:\\ws\\x.txt')).toBe(true);
    expect(await isShared('D:\\ws\\private\\a.txt')).toBe(true);
  });

  it('hides all files that it may concern if it cannot be read, and logs this once', async () => {
    const warnings: unknown[] = [];
    const { policy } = policyFor(
      {},
      {
        logger: { ...silentLogger, warn: (_message, fields) => void warnings.push(fields) },
        files: Object.assign(new FakeFiles(), {
          readText: async () => {
            throw new Error('permission denied');
          },
        }),
      },
    );
    expect(await policy.verdict(gemini, '/ws/a.txt')).toEqual({
      isShared: false,
      reason: 'it cannot be checked: permission denied',
    });
    expect(await policy.verdict(gemini, '/elsewhere/a.txt')).toEqual({ isShared: true });
    await policy.verdict(gemini, '/ws/b.txt');
    expect(warnings).toEqual([{ error: 'permission denied' }]);
  });
});

describe('.gitignore', () => {
  const files = {
    '/repo/.git/HEAD': 'ref: refs/heads/main\n',
    '/repo/.gitignore': 'generated/\n/ws-only\n',
    '/repo/packages/web/.gitignore': '*.cache\n!generated/\n',
  };
  const folders = () => ['/repo/packages/web'];

  it('does not apply by default', async () => {
    const { isShared } = policyFor(files, { folders });
    expect(await isShared('/repo/packages/web/x.cache')).toBe(true);
  });

  it('applies from the root of the repository that contains the workspace', async () => {
    const { isShared, reason } = policyFor(files, { folders, respectsGitignore: true });
    expect(await isShared('/repo/packages/web/x.cache')).toBe(false);
    expect(await isShared('/repo/packages/web/generated/a.ts')).toBe(true);
    expect(await isShared('/repo/packages/web/src/a.ts')).toBe(true);
    expect(await reason('/repo/packages/web/x.cache')).toBe('.gitignore excludes it');
    const inherited = policyFor(
      { ...files, '/repo/packages/web/.gitignore': '' },
      { folders, respectsGitignore: true },
    );
    expect(await inherited.isShared('/repo/packages/web/generated/a.ts')).toBe(false);
  });

  it('applies in a worktree, whose .git is a file', async () => {
    const { isShared } = policyFor(
      { '/tree/.git': 'gitdir: /repo/.git/worktrees/tree\n', '/tree/.gitignore': 'out', '/.gitignore': '*' },
      { folders: () => ['/tree/sub'], respectsGitignore: true },
    );
    expect(await isShared('/tree/sub/out')).toBe(false);
    expect(await isShared('/tree/sub/in')).toBe(true);
  });

  it('applies from the workspace folder if there is no repository', async () => {
    const { isShared } = policyFor(
      { '/a/.gitignore': '*', '/a/ws/.gitignore': 'out' },
      { folders: () => ['/a/ws'], respectsGitignore: true },
    );
    expect(await isShared('/a/ws/out')).toBe(false);
    expect(await isShared('/a/ws/in')).toBe(true);
  });
});
