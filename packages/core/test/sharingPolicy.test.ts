import { defaultDenyList } from '@tandem/core';
import { describe, expect, it } from 'vitest';
import { policyFor } from './policyFor.js';

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
    '/ws/production.env',
    '/ws/.env.example',
    '/ws/.env/example',
    '/ws/.dev.vars',
    '/ws/secret.txt',
    '/ws/config/secrets.yml',
    '/ws/deploy/db-secret.yaml',
    '/ws/infra/prod.tfvars',
    '/ws/infra/prod.auto.tfvars.json',
    '/ws/infra/terraform.tfstate',
    '/ws/infra/terraform.tfstate.backup',
    '/ws/kubeconfig',
    '/ws/kubeconfig.yaml',
    '/home/x/.dockercfg',
    '/ws/.yarnrc.yml',
    '/ws/AuthKey_1.p8',
    '/ws/auth.json',
    '/home/x/.codex/auth.json',
    '/ws/deploy_rsa',
    '/ws/.git/config',
    '/ws/.git/modules/a/b/config',
    '/ws/.git/credentials',
    '/home/x/.config/git/credentials',
    '/home/x/.config/gh/hosts.yml',
    '/ws/nuget.config',
    '/ws/wp-config.php',
    '/ws/.vscode/sftp.json',
    '/home/x/.bash_history',
    '/home/x/.gemini/oauth_creds.json',
    '/home/x/.qwen/oauth_creds.json',
    '/home/x/.gemini/mcp-oauth-tokens-v2.json',
    '/home/x/.claude/.credentials.json',
    '/home/x/.claude.json',
    '/ws/.claude/settings.local.json',
    '/ws/.mcp.json',
  ])('hides %s', async (path) => {
    expect(await policyFor().isShared(path)).toBe(false);
  });

  it.each([
    '/ws/src/environment.ts',
    '/ws/env.ts',
    '/ws/src/credentialsForm.tsx',
    '/ws/docker/config.json',
    '/ws/keys.ts',
    '/ws/package.json',
    '/ws/src/secretStore.ts',
    '/ws/src/secrets/vault.ts',
    '/ws/src/authorization.json',
    '/ws/src/tfvars.ts',
    '/ws/main.tf',
    '/ws/.git/HEAD',
    '/ws/.git/COMMIT_EDITMSG',
    '/ws/.github/config.yml',
    '/ws/git/config',
    '/ws/.docker/Dockerfile',
    '/ws/.vscode/settings.json',
    '/ws/.claude/settings.json',
    '/ws/.gemini/settings.json',
    '/ws/.yarnrc',
    '/ws/src/history.ts',
    'C:\\Users\\x\\main.ts',
    '/',
    'C:\\',
  ])('lets %s through', async (path) => {
    expect(await policyFor().isShared(path)).toBe(true);
  });

  it('reports the pattern that holds a file back, as it was written', async () => {
    expect(await policyFor().reason('/home/x/.kube/config')).toBe('it matches the deny list (.kube/config)');
    expect(await policyFor().reason('/home/x/.ssh/known_hosts')).toBe('it matches the deny list (.ssh/)');
  });

  it('can be passed as an option, and replaces the default list', async () => {
    const { isShared, policy } = policyFor({}, { denyList: ['*.secret'] });
    expect(policy.denyList).toEqual(['*.secret']);
    expect(await isShared('/ws/a.secret')).toBe(false);
    expect(await isShared('/ws/.env')).toBe(true);
  });

  it('can be set later, and fires an event', async () => {
    const { isShared, policy } = policyFor();
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
    const { policy } = policyFor({}, { denyList: patterns });
    patterns.push('*');
    expect(policy.denyList).toEqual(['*.secret']);
  });

  it('matches a pattern with a slash inside at any depth, and one that begins with a slash from a root', async () => {
    const { isShared } = policyFor(
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
    const { isShared } = policyFor({}, { denyList: [pattern] });
    expect(await isShared('C:\\vault\\a.txt')).toBe(pattern.startsWith('!'));
    expect(await isShared('C:\\ws\\vault\\a.txt')).toBe(true);
  });

  it('applies a pattern that is set while the files are read', async () => {
    const { disk, policy, isShared } = policyFor();
    const { realPath } = disk;
    disk.realPath = async (path) => {
      policy.setDenyList(['a.ts']);
      return realPath.call(disk, path);
    };
    expect(await isShared('/ws/a.ts')).toBe(false);
  });
});

describe('a link', () => {
  it('does not bypass the deny list', async () => {
    const { disk, isShared } = policyFor({ '/elsewhere/.env': 'SECRET=1' });
    disk.link('/ws/notes.txt', '/elsewhere/.env');
    expect(await isShared('/ws/notes.txt')).toBe(false);
  });

  it('is also checked by its own name, and by those of the folders on its path', async () => {
    const { disk, isShared } = policyFor({ '/elsewhere/harmless.txt': '', '/elsewhere/config': '' });
    disk.link('/ws/.env', '/elsewhere/harmless.txt');
    disk.link('/home/x/.ssh', '/elsewhere');
    expect(await isShared('/ws/.env')).toBe(false);
    expect(await isShared('/home/x/.ssh/config')).toBe(false);
    expect(await isShared('/elsewhere/config')).toBe(true);
  });

  it('does not bypass an ignore file, even when its folder was reached by a link', async () => {
    const { disk, isShared } = policyFor({
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

describe('pausing', () => {
  it('holds everything back until sharing is resumed, and fires one event per change', async () => {
    const { policy, isShared, reason } = policyFor();
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

  it('applies to a verdict in progress', async () => {
    const { disk, policy, isShared } = policyFor();
    const { readText } = disk;
    disk.readText = async (path) => {
      policy.pause();
      return readText.call(disk, path);
    };
    expect(await isShared('/ws/a.ts')).toBe(false);
  });
});
