import { isInGitFolder, SpecialFileNames } from '@tandem/core';
import { describe, expect, it } from 'vitest';

const names = new SpecialFileNames([{ kind: 'runs', patterns: ['.acme/'], text: 'Acme may run it.' }]);

/** A path for each pattern that is well known, by the reason that the user reads. */
const wellKnown = {
  'Version control may run commands that this file contains.': [
    '/w/.husky/pre-commit',
    '/w/.githooks/pre-push',
    '/w/.gitmodules',
    '/w/.gitattributes',
    '/home/ann/.gitconfig',
    '/home/ann/.config/git/config',
    '/w/lefthook.yml',
    '/w/.lefthook-local.yaml',
    '/w/.pre-commit-config.yaml',
    '/w/.hg/hgrc',
    '/home/ann/.hgrc',
    '/w/.svn/entries',
    '/w/.jj/repo/config.toml',
  ],
  'An editor may run commands that this file contains.': [
    '/w/.vscode/tasks.json',
    '/w/.vscode/launch.json',
    '/w/sub/.vscode/settings.json',
    '/w/.vscode/mcp.json',
    '/w/.VSCode/Tasks.JSON',
    '/w/.vscode./tasks.json',
    'C:\\w\\.vscode\\tasks.json',
    '/w/.claude/worktrees/one/.vscode/tasks.json',
    '/w/project.code-workspace',
    '/home/ann/.config/Code/User/settings.json',
    '/w/.idea/workspace.xml',
    '/w/.fleet/run.json',
    '/w/.zed/tasks.json',
    '/home/ann/.config/zed/settings.json',
    '/w/.exrc',
    '/w/.nvimrc',
    '/w/.nvim.lua',
    '/home/ann/.vimrc',
    '/home/ann/.gvimrc',
    '/home/ann/.vim/vimrc',
    '/home/ann/.config/nvim/init.lua',
    '/w/.dir-locals.el',
    '/home/ann/.emacs',
    '/home/ann/.emacs.d/init.el',
    '/home/ann/.config/emacs/init.el',
  ],
  'A build service may run commands that this file contains.': [
    '/w/.github/workflows/deep/ci.yml',
    '/w/.github/actions/setup/action.yml',
    '/w/.gitea/workflows/ci.yml',
    '/w/.forgejo/workflows/ci.yml',
    '/w/.gitlab-ci.yml',
    '/w/.gitlab/ci/build.yml',
    '/w/.circleci/config.yml',
    '/w/.buildkite/pipeline.yml',
    '/w/.teamcity/settings.kts',
    '/w/.travis.yml',
    '/w/.cirrus.yml',
    '/w/.drone.yml',
    '/w/.woodpecker.yaml',
    '/w/.woodpecker/ci.yaml',
    '/w/.appveyor.yml',
    '/w/appveyor.yml',
    '/w/azure-pipelines.yml',
    '/w/bitbucket-pipelines.yml',
    '/w/Jenkinsfile',
  ],
  'Commands in this file may run when the folder is entered or opened.': [
    '/w/.envrc',
    '/home/ann/.direnvrc',
    '/home/ann/.config/direnv/direnv.toml',
    '/w/.devcontainer/devcontainer.json',
    '/w/.devcontainer.json',
    '/w/.mise.local.toml',
  ],
  'A shell runs this file when it starts or ends.': [
    ...[
      '.bashrc',
      '.bashrc.d/one',
      '.bash_profile',
      '.bash_login',
      '.bash_logout',
      '.bash_aliases',
      '.profile',
    ],
    ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.mkshrc', '.cshrc', '.tcshrc'],
    ...['.login', '.logout', '.inputrc', '.config/fish/config.fish', '.oh-my-zsh/custom/a.zsh'],
    'Documents/PowerShell/Microsoft.PowerShell_profile.ps1',
  ].map((name) => `/home/ann/${name}`),
  'The system may run commands that this file contains.': [
    ...[
      '.xprofile',
      '.xinitrc',
      '.xsession',
      '.xsessionrc',
      '.pam_environment',
      '.config/environment.d/a.conf',
    ],
    ...['.config/autostart/a.desktop', '.config/systemd/user/a.service', '.local/bin/ls'],
    ...[
      '.local/share/systemd/user/a.service',
      'Library/LaunchAgents/a.plist',
      'Library/LaunchDaemons/a.plist',
    ],
    ...['Start Menu/Programs/Startup/a.lnk', '.tmux.conf', '.config/tmux/tmux.conf'],
  ].map((name) => `/home/ann/${name}`),
  'A coding agent may run commands that this file contains, or gain permissions by it.': [
    ...['.mcp.json', '.cursor/mcp.json', '.windsurf/rules', '.continue/config.yaml', '.roo/mcp.json'],
    ...['.kilocode/mcp.json', '.kiro/settings/mcp.json', '.aider.conf.yml'],
  ].map((name) => `/w/${name}`),
};

const accesses = [
  ...['.ssh/config', '.rhosts', '.shosts', '.gnupg/gpg.conf', '.password-store/a.gpg', '.aws/config'],
  ...[
    '.azure/config',
    '.kube/config',
    '.docker/config.json',
    '.config/gcloud/properties',
    '.config/gh/hosts.yml',
  ],
  ...[
    '.git-credentials',
    '.netrc',
    '_netrc',
    '.pgpass',
    'authorized_keys',
    'authorized_keys2',
    'known_hosts',
  ],
  ...['sudoers', 'sudoers.d/x'],
].map((name) => `/home/ann/${name}`);

describe('a file that runs by itself or gives access', () => {
  describe.each(Object.entries(wellKnown))('%s', (text, paths) => {
    it.each(paths)('%s', (path) => expect(names.find(path)).toMatchObject({ kind: 'runs', text }));
  });

  it.each(accesses)('gives access: %s', (path) =>
    expect(names.find(path)).toMatchObject({
      kind: 'access',
      text: 'This file gives access to accounts or computers.',
    }),
  );

  it.each([
    '/w/package.json',
    '/w/Makefile',
    '/w/src/hooks/index.ts',
    '/w/vscode/settings.json',
    '/w/.vscode/extensions.json',
    '/w/.github/ISSUE_TEMPLATE/bug.md',
    '/w/docs/.profile.md',
    '/w/.acme/worktrees/one/src/a.ts',
  ])('is neither: %s', (path) => expect(names.find(path)).toBeUndefined());

  it('keeps the reason of an agent, also for a file that is well known', () => {
    expect(names.find('/w/.acme/settings.json')).toMatchObject({ kind: 'runs', text: 'Acme may run it.' });
    const own = new SpecialFileNames([{ kind: 'access', patterns: ['.envrc'], text: 'Acme reads it.' }]);
    expect(own.find('/w/.envrc')).toMatchObject({ kind: 'access', text: 'Acme reads it.' });
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
