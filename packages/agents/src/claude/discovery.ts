import { join, resolve } from 'node:path';
import type { Path } from '@tandem/core';
import type { AgentDiscovery } from '../agentProtocol.js';
import type { Machine } from '../machine.js';
import { toWirePath } from './paths.js';

/**
 * The lock file `{port}.lock` (claude-code-ide.md, "Discovery Mechanism"), in one place only: Claude Code 2.1 with
 * `CLAUDE_CONFIG_DIR` reads that folder and `~/.claude` too, and of two files for one port it chooses neither. `transport`
 * must be "ws", or it tries an older protocol without a token. Folders are real paths: the CLI resolves its own folder and
 * compares it as text.
 */
export const discovery: AgentDiscovery = {
  files: ({ editor, machine, port, token }) => [
    {
      folder: join(claudeHome(machine), 'ide'),
      isOwnFolder: true,
      name: `${port}.lock`,
      namePattern: lockFileNames,
      content: {
        workspaceFolders: editor.workspace.folders().flatMap((path) => spellings(path, machine.platform)),
        pid: editor.info.pid,
        ideName: editor.info.displayName,
        transport: 'ws',
        runningInWindows: machine.platform === 'win32',
        authToken: token,
      },
    },
  ],
  /** The port alone makes Claude Code connect by itself. Where the lock file's folder is not the default, it must know. */
  environment: ({ machine, port }) => ({
    CLAUDE_CODE_SSE_PORT: String(port),
    ...(machine.env.CLAUDE_CONFIG_DIR && { CLAUDE_CONFIG_DIR: claudeHome(machine) }),
  }),
};

/** The header in which a client presents the token. */
export const tokenHeader = 'x-claude-code-ide-authorization';

export const lockFileNames = /^(\d+)\.lock$/;

export function claudeHome({ env, home }: Machine): string {
  return env.CLAUDE_CONFIG_DIR ? resolve(env.CLAUDE_CONFIG_DIR) : join(home, '.claude');
}

/** On Windows the document has POSIX-style folders, and Claude Code 2.1 resolves them as native ones: both. */
function spellings(path: Path, platform: NodeJS.Platform): Path[] {
  return [...new Set([toWirePath(path, platform), path])];
}
