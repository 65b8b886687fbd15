import { join, resolve } from 'node:path';
import type { Path } from '@tandem/core';
import type { AgentDiscovery } from '../agentProtocol.js';
import { lockFileNames, portEnvironment } from '../claudeIde/lockFile.js';
import type { Machine } from '../machine.js';
import { toWirePath } from './paths.js';

/**
 * The lock file `{port}.lock` (claude-code-ide.md, "Discovery Mechanism"), in one folder only: with
 * `CLAUDE_CONFIG_DIR`, Claude Code 2.1 reads both that folder and `~/.claude`, and if two files have one port, it
 * chooses neither. `transport` must be "ws"; otherwise it tries an older protocol without a token. Folders are real
 * paths: the CLI resolves its own folder and compares text.
 */
export const discovery: AgentDiscovery = {
  files: ({ editor, machine, port, token }) => [
    {
      folder: join(claudeHome(machine), 'ide'),
      isOwnFolder: true,
      name: `${port}.lock`,
      namePattern: lockFileNames,
      // opencode and Kilo CLI read this file, too.
      isChosenByTime: true,
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
  /**
   * The port is enough to make Claude Code connect by itself. It also needs the lock file's folder if that is not the
   * default.
   */
  environment: ({ machine, port }) => ({
    ...portEnvironment(port),
    ...(machine.env.CLAUDE_CONFIG_DIR && { CLAUDE_CONFIG_DIR: claudeHome(machine) }),
  }),
};

export function claudeHome({ env, home }: Machine): string {
  return env.CLAUDE_CONFIG_DIR ? resolve(env.CLAUDE_CONFIG_DIR) : join(home, '.claude');
}

/** On Windows, both forms: the document requires POSIX-style folders, but Claude Code 2.1 expects native ones. */
function spellings(path: Path, platform: NodeJS.Platform): Path[] {
  return [...new Set([toWirePath(path, platform), path])];
}
