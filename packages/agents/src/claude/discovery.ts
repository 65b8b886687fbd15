import { join, resolve } from 'node:path';
import type { Editor, Path } from '@tandem/core';
import type { DiscoveryEntry, Machine } from '../agentProtocol.js';
import { toWirePath } from './paths.js';

interface Served {
  readonly editor: Pick<Editor, 'info' | 'workspace'>;
  readonly machine: Machine;
  readonly port: number;
  readonly token: string;
}

/**
 * The lock file `{port}.lock` (claude-code-ide.md, "Discovery Mechanism"), in one place only: Claude Code 2.1 with
 * `CLAUDE_CONFIG_DIR` reads that folder and `~/.claude` too, and of two files for one port it chooses neither.
 * `transport` must say "ws", or it tries an older protocol without a token. Folders are real paths: the CLI resolves
 * its own folder and compares it as text.
 */
export function claudeDiscovery({ editor, machine, port, token }: Served): DiscoveryEntry[] {
  return [
    {
      folder: join(claudeHome(machine), 'ide'),
      isOwnFolder: true,
      name: `${port}.lock`,
      namePattern: /^\d+\.lock$/,
      content: {
        workspaceFolders: editor.workspace.folders().flatMap((path) => spellings(path, machine.platform)),
        pid: editor.info.pid,
        ideName: editor.info.displayName,
        transport: 'ws',
        runningInWindows: machine.platform === 'win32',
        authToken: token,
      },
    },
  ];
}

/**
 * What a terminal outside the editor exports. The port alone makes Claude Code connect by itself, and decides
 * between several lock files. Where ours lies elsewhere than by default, the CLI must know.
 */
export function claudeEnvironment({ machine, port }: Served): Record<string, string> {
  return {
    CLAUDE_CODE_SSE_PORT: String(port),
    ...(machine.env.CLAUDE_CONFIG_DIR && { CLAUDE_CONFIG_DIR: claudeHome(machine) }),
  };
}

function claudeHome({ env, home }: Machine): string {
  return env.CLAUDE_CONFIG_DIR ? resolve(env.CLAUDE_CONFIG_DIR) : join(home, '.claude');
}

/** On Windows the document has POSIX-style folders, and Claude Code 2.1 resolves them as native ones: both. */
function spellings(path: Path, platform: NodeJS.Platform): Path[] {
  return [...new Set([toWirePath(path, platform), path])];
}
