import { isInGitFolder, SpecialFileNames } from '@tandem/core';
import { describe, expect, it } from 'vitest';

const names = new SpecialFileNames([{ kind: 'runs', patterns: ['.acme/'], text: 'Acme may run it.' }]);
const kindOf = (path: string): string | undefined => names.find(path)?.kind;

describe('a file that runs by itself or gives access', () => {
  it.each([
    '/w/.husky/pre-commit',
    '/w/sub/.vscode/settings.json',
    '/w/.VSCode/Tasks.JSON',
    '/w/.vscode./tasks.json',
    '/w/.github/workflows/deep/ci.yml',
    '/w/.gitlab-ci.yml',
    '/home/ann/.zshrc',
    '/home/ann/.config/fish/config.fish',
    '/home/ann/Library/LaunchAgents/a.plist',
    '/w/.acme/settings.json',
    '/w/.envrc',
    '/w/.mise.local.toml',
    '/w/.devcontainer/devcontainer.json',
    '/w/.gitmodules',
    '/w/.gitattributes',
    '/home/ann/.gitconfig',
    '/w/.githooks/pre-push',
    '/w/lefthook.yml',
    '/w/.pre-commit-config.yaml',
    '/w/project.code-workspace',
    '/w/.idea/workspace.xml',
    '/w/.exrc',
    '/w/.nvim.lua',
    '/w/.dir-locals.el',
    '/home/ann/.emacs.d/init.el',
    '/w/azure-pipelines.yml',
    '/w/Jenkinsfile',
    '/w/.circleci/config.yml',
    '/home/ann/.bashrc',
    '/home/ann/.profile',
    '/home/ann/.config/autostart/a.desktop',
    '/home/ann/.config/systemd/user/a.service',
    '/home/ann/.local/bin/ls',
    '/home/ann/.tmux.conf',
    '/w/.mcp.json',
    '/w/.cursor/mcp.json',
    'C:\\w\\.vscode\\tasks.json',
    '/w/.claude/worktrees/one/.vscode/tasks.json',
  ])('runs: %s', (path) => expect(kindOf(path)).toBe('runs'));

  it.each([
    '/home/ann/.ssh/config',
    '/home/ann/.aws/config',
    '/etc/sudoers.d/x',
    '/w/authorized_keys',
    '/home/ann/.gnupg/gpg.conf',
    '/home/ann/.kube/config',
    '/home/ann/.docker/config.json',
    '/home/ann/.config/gh/hosts.yml',
    '/home/ann/.git-credentials',
    '/home/ann/.netrc',
    '/home/ann/.pgpass',
  ])('gives access: %s', (path) => expect(kindOf(path)).toBe('access'));

  it.each([
    '/w/package.json',
    '/w/Makefile',
    '/w/src/hooks/index.ts',
    '/w/vscode/settings.json',
    '/w/.vscode/extensions.json',
    '/w/.github/ISSUE_TEMPLATE/bug.md',
    '/w/docs/.profile.md',
    '/w/.acme/worktrees/one/src/a.ts',
  ])('is neither: %s', (path) => expect(kindOf(path)).toBeUndefined());

  it('keeps the reason of an agent', () => {
    expect(names.find('/w/.acme/settings.json')?.text).toBe('Acme may run it.');
  });
});

describe('a Git folder', () => {
  it.each([
    '/w/.git',
    '/w/.git/hooks/pre-commit',
    '/w/.GIT/config',
    '/w/.git./config',
    '/w/.git::$INDEX_ALLOCATION/config',
    '/w/.g\u200cit/config',
    '/w/GIT~1/config',
    '/w/a.git/hooks/update',
    '/w/a.git/config',
    '/w/.git/worktrees/one/config.worktree',
  ])('contains %j', (path) => expect(isInGitFolder(path)).toBe(true));

  it.each(['/w/.github/a', '/w/.gitignore', '/w/a.git/README.md', '/w/git/config', '/w/.git/../a.txt'])(
    'does not contain %j',
    (path) => expect(isInGitFolder(path)).toBe(false),
  );
});
