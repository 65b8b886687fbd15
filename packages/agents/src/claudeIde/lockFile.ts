import { type Announcement, isRecord, portIn } from '../agentDiagnosis.js';

/** The lock file of Claude Code's IDE interface, through which opencode and Kilo CLI also find the companion. */

/** The header in which a client presents the token. */
export const tokenHeader = 'x-claude-code-ide-authorization';

export const lockFileNames = /^(\d+)\.lock$/;

/** What a lock file announces. */
export function readLockFile(name: string, content: unknown): Announcement | undefined {
  const port = portIn(lockFileNames.exec(name)?.[1]);
  if (!isRecord(content) || port === undefined) return undefined;
  const { workspaceFolders, pid, authToken, ideName, transport, runningInWindows } = content;
  const folders = Array.isArray(workspaceFolders)
    ? workspaceFolders.filter((folder) => typeof folder === 'string')
    : [];
  return {
    address: { port },
    folders,
    opensGate: true,
    isFromWindows: runningInWindows === true,
    ...(typeof pid === 'number' && { pid }),
    ...(typeof authToken === 'string' && { token: authToken }),
    ...(typeof ideName === 'string' && { ideName }),
    ...(transport !== 'ws' && {
      fault: 'It does not contain "transport": "ws", so Claude Code uses an older protocol without a token.',
    }),
  };
}

export const portVariable = 'CLAUDE_CODE_SSE_PORT';

/**
 * The variable that selects a companion for Claude Code. opencode 1.18 and Kilo CLI 7.7 would connect to its port without
 * a token, and be refused. They read only the digits at its beginning: this spelling of the number is 0 for them, so they
 * look for the lock file. Claude Code 2.1 reads the number; a version that does not chooses as if it were not set.
 */
export function portEnvironment(port: number): Record<string, string> {
  return { [portVariable]: `0.${port}e${String(port).length}` };
}
