import {
  type AgentIdentity,
  defaultDenyList,
  SharingPolicy,
  type SharingPolicyOptions,
  silentLogger,
} from '@tandem/core';
import { FakeFiles } from '@tandem/core/testing';
import { describe, expect, it } from 'vitest';

const gemini: AgentIdentity = { id: 'gemini', ignoreFiles: [{ name: '.geminiignore' }] };
const qwen: AgentIdentity = { id: 'qwen', ignoreFiles: [{ name: '.qwenignore' }] };
const claude: AgentIdentity = {
  id: 'claude',
  ignoreFiles: [
    { name: '.claude/settings.json', patterns: (text) => text.split(' ') },
    { name: '.claude/settings.local.json', patterns: (text) => text.split(' ') },
  ],
};

function setUp(files: Readonly<Record<string, string>> = {}, options: Partial<SharingPolicyOptions> = {}) {
  const disk = new FakeFiles(files);
  const policy = new SharingPolicy({ files: disk, folders: () => ['/ws'], logger: silentLogger, ...options });
  const isShared = async (path: string, agent = gemini) => (await policy.verdict(agent, path)).isShared;
  const reason = async (path: string, agent = gemini) => {
    const verdict = await policy.verdict(agent, path);
    return verdict.isShared ? undefined : verdict.reason;
  };
  return { disk, policy, isShared, reason };
}

describe('the deny list', () => {
  it.each([
    '/ws/.env',
    '/ws/.env.local',
    '/ws/.envrc',
    '/ws/packages/web/.ENV.Production',
    '/ws/certs/server.pem',
    '/ws/certs/Server.PEM',
    '/ws/server.key',
    '/ws/id_ed25519',
    '/home/x/.ssh/config',
    '/home/x/.aws/credentials',
    '/home/x/.aws/sso/cache/token.json',
    '/home/x/.kube/config',
    '/home/x/.docker/config.json',
    '/home/x/.config/gcloud/access_tokens.db',
    '/ws/credentials.json',
    '/ws/google-credentials-prod.json',
    '/ws/.netrc',
    'C:\\Users\\x\\.env',
    'c:\\Users\\x\\.kube\\config',
    '\\\\server\\share\\id_rsa',
    '/ws/a/../.env',
  ])('holds back %s', async (path) => {
    expect(await setUp().isShared(path)).toBe(false);
  });

  it.each([
    '/ws/src/environment.ts',
    '/ws/env.ts',
    '/ws/src/credentialsForm.tsx',
    '/ws/docker/config.json',
    '/ws/keys.ts',
    '/ws/package.json',
    'C:\\Users\\x\\main.ts',
    '/',
    'C:\\',
  ])('lets %s through', async (path) => {
    expect(await setUp().isShared(path)).toBe(true);
  });

  it('says which pattern holds a file back, as it was written', async () => {
    expect(await setUp().reason('/home/x/.kube/config')).toBe('the deny list holds it back (.kube/config)');
    expect(await setUp().reason('/home/x/.ssh/known_hosts')).toBe('the deny list holds it back (.ssh/)');
  });

  it('can be given, and replaces the default one', async () => {
    const { isShared, policy } = setUp({}, { denyList: ['*.secret'] });
    expect(policy.denyList).toEqual(['*.secret']);
    expect(await isShared('/ws/a.secret')).toBe(false);
    expect(await isShared('/ws/.env')).toBe(true);
  });

  it('can be set while it runs, which is told', async () => {
    const { isShared, policy } = setUp();
    expect(policy.denyList).toEqual(defaultDenyList);
    let changes = 0;
    policy.onDidChange(() => changes++);
    policy.setDenyList(['*.secret', '!public.secret']);
    expect(changes).toBe(1);
    expect(await isShared('/ws/a.secret')).toBe(false);
    expect(await isShared('/ws/public.secret')).toBe(true);
    expect(await isShared('/ws/.env')).toBe(true);
  });

  it('does not change with the array that it was set from', () => {
    const patterns = ['*.secret'];
    const { policy } = setUp({}, { denyList: patterns });
    patterns.push('*');
    expect(policy.denyList).toEqual(['*.secret']);
  });

  it('matches a pattern with a slash inside at any depth, and one that begins with a slash from a root', async () => {
    const { isShared } = setUp(
      {},
      { denyList: ['config/keys', '/top/*.txt', '**/deep/x', '!config/keys/public'] },
    );
    expect(await isShared('/ws/config/keys')).toBe(false);
    expect(await isShared('/ws/a/b/config/keys')).toBe(false);
    expect(await isShared('/ws/deep/x')).toBe(false);
    expect(await isShared('/ws/a/deep/x')).toBe(false);
    expect(await isShared('/top/a.txt')).toBe(false);
    expect(await isShared('/ws/top/a.txt')).toBe(false);
    expect(await isShared('/ws/a/top/a.txt')).toBe(true);
  });

  it.each(['C:/vault/', 'c:\\vault\\', '!D:/vault/'])('takes the Windows pattern %s', async (pattern) => {
    const { isShared } = setUp({}, { denyList: [pattern] });
    expect(await isShared('C:\\vault\\a.txt')).toBe(pattern.startsWith('!'));
    expect(await isShared('C:\\ws\\vault\\a.txt')).toBe(true);
  });

  it('wins when a pattern is set while the files are read', async () => {
    const { disk, policy, isShared } = setUp();
    const { realPath } = disk;
    disk.realPath = async (path) => {
      policy.setDenyList(['a.ts']);
      return realPath.call(disk, path);
    };
    expect(await isShared('/ws/a.ts')).toBe(false);
  });
});

describe('an ignore file', () => {
  it('holds files back from its own agent only', async () => {
    const { isShared } = setUp({ '/ws/.geminiignore': '*.log\n', '/ws/.qwenignore': 'dist\n' });
    expect(await isShared('/ws/a.log', gemini)).toBe(false);
    expect(await isShared('/ws/a.log', qwen)).toBe(true);
    expect(await isShared('/ws/dist/a', gemini)).toBe(true);
    expect(await isShared('/ws/dist/a', qwen)).toBe(false);
    expect(await isShared('/ws/a.log', claude)).toBe(true);
  });

  it('names itself in the reason', async () => {
    expect(await setUp({ '/ws/.geminiignore': '*.log' }).reason('/ws/a.log')).toBe('.geminiignore names it');
  });

  it('is read in every folder on the way, and a deeper one overrules', async () => {
    const { isShared } = setUp({
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

  it('cannot bring back what lies in an ignored folder', async () => {
    const { isShared } = setUp({
      '/ws/.geminiignore': 'secret/\n!secret/public.txt\n',
      '/ws/secret/.geminiignore': '!public.txt\n!*\n',
    });
    expect(await isShared('/ws/secret/public.txt')).toBe(false);
    expect(await isShared('/ws/secret/deep/public.txt')).toBe(false);
  });

  it('brings back what it ignored itself', async () => {
    const { isShared } = setUp({ '/ws/.geminiignore': 'logs/*\n!logs/keep.txt\n' });
    expect(await isShared('/ws/logs/a.txt')).toBe(false);
    expect(await isShared('/ws/logs/keep.txt')).toBe(true);
  });

  it('is read again when it changed, came or went', async () => {
    const { disk, isShared } = setUp();
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
    const { isShared } = setUp({
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

  it('counts in folders whose names are patterns themselves', async () => {
    const { isShared } = setUp({ '/ws/[a]*? !#/.geminiignore': 'x.txt\n', '/ws/.geminiignore': 'y.txt\n' });
    expect(await isShared('/ws/[a]*? !#/x.txt')).toBe(false);
    expect(await isShared('/ws/[a]*? !#/y.txt')).toBe(false);
    expect(await isShared('/ws/b/x.txt')).toBe(true);
    expect(await isShared('/ws/[a]*? !#/z.txt')).toBe(true);
  });

  it('counts in each of several workspace folders, and not above or outside of them', async () => {
    const { isShared } = setUp(
      { '/one/.geminiignore': 'x', '/two/.geminiignore': 'y', '/.geminiignore': '*' },
      { folders: () => ['/one', '/two'] },
    );
    expect(await isShared('/one/x')).toBe(false);
    expect(await isShared('/two/x')).toBe(true);
    expect(await isShared('/two/y')).toBe(false);
    expect(await isShared('/three/x')).toBe(true);
  });

  it('counts for folders that were opened since', async () => {
    let folders: string[] = [];
    const { isShared } = setUp({ '/ws/.geminiignore': 'x' }, { folders: () => folders });
    expect(await isShared('/ws/x')).toBe(true);
    folders = ['/ws'];
    expect(await isShared('/ws/x')).toBe(false);
  });

  it('lies where the agent wants it, in its own syntax, and none of several undoes another', async () => {
    const { isShared } = setUp({
      '/ws/.claude/settings.json': '*.sql private/**',
      '/ws/.claude/settings.local.json': '*.csv !*.sql',
    });
    expect(await isShared('/ws/db/a.sql', claude)).toBe(false);
    expect(await isShared('/ws/a.csv', claude)).toBe(false);
    expect(await isShared('/ws/private/a/b.txt', claude)).toBe(false);
    expect(await isShared('/ws/a.txt', claude)).toBe(true);
  });

  it('counts on Windows, whichever case the drive is written in', async () => {
    const texts: Record<string, string> = {
      'C:\\ws\\.geminiignore': 'private\\\nprivate/\n',
      'C:\\ws\\pkg\\.geminiignore': 'x.txt',
    };
    const { isShared } = setUp(
      {},
      {
        folders: () => ['C:\\ws'],
        files: { readText: async (path) => texts[path], realPath: async (path) => path },
      },
    );
    expect(await isShared('c:\\ws\\private\\a.txt')).toBe(false);
    expect(await isShared('C:\\ws\\pkg\\x.txt')).toBe(false);
    expect(await isShared('C:\\ws\\x.txt')).toBe(true);
    expect(await isShared('D:\\ws\\private\\a.txt')).toBe(true);
  });

  it('that cannot be read makes the verdict fail rather than share', async () => {
    const { policy } = setUp(
      {},
      {
        files: {
          readText: async () => {
            throw new Error('permission denied');
          },
          realPath: async (path) => path,
        },
      },
    );
    await expect(policy.verdict(gemini, '/ws/a.txt')).rejects.toThrow('permission denied');
  });
});

describe('a link', () => {
  it('is no way around the deny list', async () => {
    const { disk, isShared } = setUp({ '/elsewhere/.env': 'SECRET=1' });
    disk.link('/ws/notes.txt', '/elsewhere/.env');
    expect(await isShared('/ws/notes.txt')).toBe(false);
  });

  it('is judged by its own name as well, and by those of the folders it was reached through', async () => {
    const { disk, isShared } = setUp({ '/elsewhere/harmless.txt': '', '/elsewhere/config': '' });
    disk.link('/ws/.env', '/elsewhere/harmless.txt');
    disk.link('/home/x/.ssh', '/elsewhere');
    expect(await isShared('/ws/.env')).toBe(false);
    expect(await isShared('/home/x/.ssh/config')).toBe(false);
    expect(await isShared('/elsewhere/config')).toBe(true);
  });

  it('is no way around an ignore file, also when the folder it lies in was reached by a link', async () => {
    const { disk, isShared } = setUp({
      '/ws/.geminiignore': 'secret/\nlink.txt\n',
      '/ws/secret/x': '',
      '/ws/ok.txt': '',
    });
    disk.link('/ws/open', '/ws/secret');
    disk.link('/ws/link.txt', '/ws/ok.txt');
    disk.link('/other name', '/ws');
    expect(await isShared('/ws/open/x')).toBe(false);
    expect(await isShared('/other name/secret/x')).toBe(false);
    expect(await isShared('/other name/link.txt')).toBe(false);
    expect(await isShared('/other name/ok.txt')).toBe(true);
  });
});

describe('.gitignore', () => {
  const files = {
    '/repo/.git/HEAD': 'ref: refs/heads/main\n',
    '/repo/.gitignore': 'generated/\n/ws-only\n',
    '/repo/packages/web/.gitignore': '*.cache\n!generated/\n',
  };
  const folders = () => ['/repo/packages/web'];

  it('does not count unless asked for', async () => {
    const { isShared } = setUp(files, { folders });
    expect(await isShared('/repo/packages/web/x.cache')).toBe(true);
  });

  it('counts from the root of the repository that the workspace lies in', async () => {
    const { isShared, reason } = setUp(files, { folders, respectsGitignore: true });
    expect(await isShared('/repo/packages/web/x.cache')).toBe(false);
    expect(await isShared('/repo/packages/web/generated/a.ts')).toBe(true);
    expect(await isShared('/repo/packages/web/src/a.ts')).toBe(true);
    expect(await reason('/repo/packages/web/x.cache')).toBe('.gitignore names it');
    const inherited = setUp(
      { ...files, '/repo/packages/web/.gitignore': '' },
      { folders, respectsGitignore: true },
    );
    expect(await inherited.isShared('/repo/packages/web/generated/a.ts')).toBe(false);
  });

  it('counts in a worktree, whose .git is a file', async () => {
    const { isShared } = setUp(
      { '/tree/.git': 'gitdir: /repo/.git/worktrees/tree\n', '/tree/.gitignore': 'out', '/.gitignore': '*' },
      { folders: () => ['/tree/sub'], respectsGitignore: true },
    );
    expect(await isShared('/tree/sub/out')).toBe(false);
    expect(await isShared('/tree/sub/in')).toBe(true);
  });

  it('counts from the workspace folder where there is no repository', async () => {
    const { isShared } = setUp(
      { '/a/.gitignore': '*', '/a/ws/.gitignore': 'out' },
      { folders: () => ['/a/ws'], respectsGitignore: true },
    );
    expect(await isShared('/a/ws/out')).toBe(false);
    expect(await isShared('/a/ws/in')).toBe(true);
  });
});

describe('pausing', () => {
  it('holds everything back until sharing is resumed, and tells each change once', async () => {
    const { policy, isShared, reason } = setUp();
    const states: boolean[] = [];
    policy.onDidChange(() => states.push(policy.isPaused));
    policy.resume();
    policy.pause();
    policy.pause();
    expect(await reason('/ws/a.ts')).toBe('sharing is paused');
    policy.resume();
    expect(await isShared('/ws/a.ts')).toBe(true);
    expect(states).toEqual([true, false]);
  });

  it('counts for a verdict that is being reached', async () => {
    const { disk, policy, isShared } = setUp();
    const { readText } = disk;
    disk.readText = async (path) => {
      policy.pause();
      return readText.call(disk, path);
    };
    expect(await isShared('/ws/a.ts')).toBe(false);
  });
});
