import { pathParts } from '../paths.js';
import type { Path } from '../position.js';
import { DenyList } from './denyList.js';
import { EffortSpentError } from './glob.js';

/** Files that something runs or trusts without a further question, in the syntax of the deny list. */
export interface SpecialFiles {
  /** `runs`: its content runs by itself, or decides what may run. `access`: it gives access to accounts or computers. */
  readonly kind: 'runs' | 'access';
  readonly patterns: readonly string[];
  /** Why the user should look, in one sentence. */
  readonly text: string;
}

/** Those of programs other than the agents that Tandem serves: an agent's own are in its descriptor. */
const wellKnown: readonly SpecialFiles[] = [
  {
    kind: 'runs',
    text: 'Version control may run commands that this file contains.',
    patterns: [
      '.husky/',
      '.githooks/',
      '.gitmodules',
      '.gitattributes',
      '.gitconfig',
      '.config/git/',
      'lefthook*.y*ml',
      '.lefthook*.y*ml',
      '.pre-commit-config.y*ml',
      '.hg/',
      '.hgrc',
      '.svn/',
      '.jj/',
    ],
  },
  {
    kind: 'runs',
    text: 'An editor may run commands that this file contains.',
    patterns: [
      '.vscode/tasks.json',
      '.vscode/launch.json',
      '.vscode/settings.json',
      '.vscode/mcp.json',
      '*.code-workspace',
      '.config/Code/User/*.json',
      '.idea/',
      '.fleet/',
      '.zed/',
      '.config/zed/',
      '.exrc',
      '.nvimrc',
      '.nvim.lua',
      '.vimrc',
      '.gvimrc',
      '.vim/',
      '.config/nvim/',
      '.dir-locals*.el',
      '.emacs',
      '.emacs.d/',
      '.config/emacs/',
    ],
  },
  {
    kind: 'runs',
    text: 'A build service may run commands that this file contains.',
    patterns: [
      '.github/workflows/',
      '.github/actions/',
      '.gitea/workflows/',
      '.forgejo/workflows/',
      '.gitlab-ci.y*ml',
      '.gitlab/ci/',
      '.circleci/',
      '.buildkite/',
      '.teamcity/',
      '.travis.yml',
      '.cirrus.yml',
      '.drone.yml',
      '.woodpecker.y*ml',
      '.woodpecker/',
      '.appveyor.yml',
      'appveyor.yml',
      'azure-pipelines*.y*ml',
      'bitbucket-pipelines.yml',
      'Jenkinsfile',
    ],
  },
  {
    kind: 'runs',
    text: 'Commands in this file may run when the folder is entered or opened.',
    patterns: [
      '.envrc',
      '.direnvrc',
      '.config/direnv/',
      '.devcontainer/',
      '.devcontainer.json',
      '.mise*.toml',
    ],
  },
  {
    kind: 'runs',
    text: 'A shell runs this file when it starts or ends.',
    patterns: [
      '.bashrc',
      '.bashrc.d/',
      '.bash_profile',
      '.bash_login',
      '.bash_logout',
      '.bash_aliases',
      '.profile',
      '.zshrc',
      '.zshenv',
      '.zprofile',
      '.zlogin',
      '.zlogout',
      '.kshrc',
      '.mkshrc',
      '.cshrc',
      '.tcshrc',
      '.login',
      '.logout',
      '.inputrc',
      '.config/fish/',
      '.oh-my-zsh/custom/',
      '*profile.ps1',
    ],
  },
  {
    kind: 'runs',
    text: 'The system may run commands that this file contains.',
    patterns: [
      '.xprofile',
      '.xinitrc',
      '.xsession',
      '.xsessionrc',
      '.pam_environment',
      '.config/environment.d/',
      '.config/autostart/',
      '.config/systemd/',
      '.local/bin/',
      '.local/share/systemd/',
      'Library/LaunchAgents/',
      'Library/LaunchDaemons/',
      'Start Menu/Programs/Startup/',
      '.tmux.conf',
      '.config/tmux/',
    ],
  },
  {
    kind: 'runs',
    text: 'A coding agent may run commands that this file contains, or gain permissions by it.',
    patterns: [
      '.mcp.json',
      '.cursor/',
      '.windsurf/',
      '.continue/',
      '.roo/',
      '.kilocode/',
      '.kiro/',
      '.aider.conf.yml',
    ],
  },
  {
    kind: 'access',
    text: 'This file gives access to accounts or computers.',
    patterns: [
      '.ssh/',
      'authorized_keys',
      'authorized_keys2',
      'known_hosts',
      '.rhosts',
      '.shosts',
      '.gnupg/',
      '.password-store/',
      '.aws/',
      '.azure/',
      '.kube/',
      '.docker/config.json',
      '.config/gcloud/',
      '.config/gh/',
      '.git-credentials',
      '.netrc',
      '_netrc',
      '.pgpass',
      'sudoers',
      'sudoers.d/',
    ],
  },
];

/** Finds the files that need the user's consent for what they are. */
export class SpecialFileNames {
  readonly #patterns: DenyList;
  readonly #groups = new Map<string, SpecialFiles>();

  /** `more` come before those that are well known. */
  constructor(more: readonly SpecialFiles[] = []) {
    for (const group of [...more, ...wellKnown]) {
      for (const pattern of group.patterns) {
        if (!this.#groups.has(pattern)) this.#groups.set(pattern, group);
      }
    }
    this.#patterns = new DenyList([...this.#groups.keys()]);
  }

  /** What a path is, whatever its case. */
  find(path: Path): SpecialFiles | undefined {
    try {
      const pattern = this.#patterns.match(plainPath(path).replace(agentWorktree, '/'));
      return pattern === undefined ? undefined : this.#groups.get(pattern);
    } catch (error) {
      if (!(error instanceof EffortSpentError)) throw error;
      return { kind: 'runs', patterns: [], text: 'The path of this file takes too long to check.' };
    }
  }
}

/** Agents keep whole working trees below their own folder. */
const agentWorktree = /^.*\/\.(?!git\/)[^/]+\/worktrees\/[^/]+\//;

/** Folders and files of a Git directory, also of one without a working tree, such as `project.git`. */
const insideGit = /^(hooks|config|config\.worktree|info|modules|worktrees|objects|refs|packed-refs|head)$/;

/** Whether a path is a `.git` folder or file, or in one, or in a folder such as `project.git`. */
export function isInGitFolder(path: Path): boolean {
  const parts = plainParts(path);
  return parts.some(
    (part, at) => part === '.git' || (part.endsWith('.git') && insideGit.test(parts[at + 1] ?? '')),
  );
}

function plainPath(path: Path): Path {
  return `/${plainParts(path).join('/')}`;
}

function plainParts(path: Path): string[] {
  return pathParts(path).map(plainName);
}

/** What macOS ignores in a name. */
const ignoredInNames = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** A name as file systems that ignore case and some characters take it: `.GIT`, `.git.` and `git~1` are `.git`. */
function plainName(name: string): string {
  const plain = name
    .replace(ignoredInNames, '')
    .replace(/(?<=.):.*$/s, '')
    .replace(/(?<=.)[. ]+$/, '')
    .toLowerCase();
  return plain === 'git~1' ? '.git' : plain;
}
