import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ConcernKind } from '@tandem/reviews';

/** A file that is dangerous to accept, below a workspace or beside it. */
export interface Danger {
  readonly name: string;
  /** Relative to the workspace. */
  readonly path: string;
  readonly kinds: readonly ConcernKind[];
  /** What happens to the file after the proposal. */
  readonly change?: (path: string) => void;
}

const dangerous: readonly (Danger & { readonly file?: string | Buffer; readonly mode?: number })[] = [
  { name: 'a hook of Git', path: '.git/hooks/pre-commit', kinds: ['git'] },
  { name: 'the configuration of Git', path: '.git/config', file: '[core]\n', kinds: ['git', 'hidden'] },
  { name: 'a Git folder in capitals', path: '.GIT/hooks/update', kinds: ['git'] },
  { name: 'the file of a submodule', path: 'sub/.git', file: 'gitdir: ../x\n', kinds: ['git'] },
  { name: 'a hook of a bare repository', path: '../bare.git/hooks/update', kinds: ['git', 'outside'] },
  { name: 'a hook of a repository by another name', path: 'store/hooks/update', kinds: ['git'] },
  { name: 'a link into the Git folder', path: 'notes.txt', kinds: ['git', 'hidden'] },
  { name: 'a folder that links to hooks', path: 'linked-hooks/post-checkout', kinds: ['git'] },
  { name: 'a hook of Husky', path: '.husky/pre-commit', kinds: ['runs'] },
  { name: 'submodules', path: '.gitmodules', kinds: ['runs'] },
  { name: 'attributes', path: '.gitattributes', kinds: ['runs'] },
  { name: 'tasks of VS Code', path: '.vscode/tasks.json', file: '{}\n', kinds: ['runs'] },
  { name: 'a workflow', path: '.github/workflows/ci.yml', file: 'on: push\n', kinds: ['runs'] },
  { name: 'what direnv runs', path: '.envrc', kinds: ['runs', 'hidden'] },
  { name: 'a dev container', path: '.devcontainer/devcontainer.json', kinds: ['runs'] },
  { name: 'settings of Claude Code', path: '.claude/settings.json', file: '{}\n', kinds: ['runs'] },
  { name: 'settings of Gemini CLI', path: '.gemini/settings.json', kinds: ['runs'] },
  { name: 'settings of Codex CLI', path: '.codex/config.toml', kinds: ['runs'] },
  { name: 'MCP servers', path: '.mcp.json', kinds: ['runs', 'hidden'] },
  { name: 'a start-up file of a shell', path: '.bashrc', kinds: ['runs'] },
  { name: 'one through a folder that is a link', path: 'home/.profile', kinds: ['runs', 'outside'] },
  { name: 'keys for SSH', path: '../home/.ssh/authorized_keys', kinds: ['access', 'hidden', 'outside'] },
  { name: 'a program', path: 'run.sh', file: '#!/bin/sh\n', mode: 0o755, kinds: ['executable'] },
  { name: 'a secret', path: '.env', file: 'K=1\n', kinds: ['hidden'] },
  { name: 'a link to a secret', path: 'sample.txt', kinds: ['hidden'] },
  { name: 'a file outside', path: '../out.txt', file: 'x\n', kinds: ['outside'] },
  { name: 'a link that leads outside', path: 'link-out.txt', kinds: ['outside'] },
  { name: 'a binary file', path: 'data.bin', file: Buffer.from([0, 255, 254, 1]), kinds: ['binary'] },
  {
    name: 'a file that was deleted',
    path: 'gone.txt',
    file: 'x\n',
    kinds: ['deleted'],
    change: (path) => rmSync(path),
  },
  {
    name: 'a file that changed on the same line',
    path: 'changed.txt',
    file: 'x\n',
    kinds: ['conflict'],
    change: (path) => writeFileSync(path, 'y\n'),
  },
];

/** Links, by the target that they have. */
const links = {
  'notes.txt': '.git/config',
  'linked-hooks': '.git/hooks',
  'sample.txt': '.env',
  'link-out.txt': '../out.txt',
  home: '../home',
} as const;

/** Files that need no question. */
export const harmless = [
  'a.txt',
  'src/index.ts',
  'package.json',
  'Makefile',
  '.gitignore',
  'docs/git/hooks/README.md',
  'CLAUDE.md',
  '.claude/worktrees/one/src/a.ts',
  'link-inside.txt',
] as const;

/** Writes the files of the table into a workspace. */
export function writeDangers(workspace: string): readonly Danger[] {
  const write = (name: string, content: string | Buffer, mode = 0o644): void => {
    const path = join(workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    chmodSync(path, mode);
  };
  for (const name of harmless) if (name !== 'link-inside.txt') write(name, 'x\n');
  write('.git/HEAD', 'ref: refs/heads/main\n');
  for (const folder of ['../home/.ssh', '../bare.git/hooks', '.git/hooks', 'store/hooks', 'store/objects'])
    mkdirSync(join(workspace, folder), { recursive: true });
  write('store/HEAD', 'ref: refs/heads/main\n');
  for (const { path, file, mode } of dangerous) if (file !== undefined) write(path, file, mode);
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(workspace, path));
  symlinkSync('a.txt', join(workspace, 'link-inside.txt'));
  return dangerous;
}
