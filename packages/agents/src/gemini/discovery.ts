import { join } from 'node:path';
import type { Editor } from '@tandem/core';
import type { DiscoveryEntry, Machine } from '../agentProtocol.js';

interface Served {
  readonly editor: Pick<Editor, 'info' | 'workspace'>;
  readonly machine: Machine;
  readonly port: number;
  readonly token: string;
}

/**
 * The port file: `os.tmpdir()/gemini/ide/gemini-ide-server-${PID}-${PORT}.json` (gemini-companion.md, section
 * I.2). `ideInfo` opens the CLI's gate in any terminal. With no folder open the file stands as well, with an empty
 * `workspacePath`: the CLI then asks the person to open one.
 */
export function geminiDiscovery({ editor, machine, port, token }: Served): DiscoveryEntry[] {
  const { name, displayName, pid } = editor.info;
  return [
    {
      folder: join(machine.tmpdir, 'gemini', 'ide'),
      isOwnFolder: true,
      name: `gemini-ide-server-${pid}-${port}.json`,
      namePattern: /^gemini-ide-server-\d+(-\d+)?\.json$/,
      content: {
        port,
        workspacePath: workspacePathOf(editor, machine),
        authToken: token,
        ideInfo: { name, displayName },
      },
    },
  ];
}

/**
 * What a terminal outside the editor exports. The port breaks ties between windows; the process id points at our
 * file whatever the process tree looks like; token and workspace serve where the file cannot be written or seen.
 */
export function geminiEnvironment({ editor, machine, port, token }: Served): Record<string, string> {
  return {
    GEMINI_CLI_IDE_SERVER_PORT: String(port),
    GEMINI_CLI_IDE_WORKSPACE_PATH: workspacePathOf(editor, machine),
    GEMINI_CLI_IDE_AUTH_TOKEN: token,
    GEMINI_CLI_IDE_PID: String(editor.info.pid),
    ...(machine.isContainer && !isKnownToBeRemote(machine) && { VSCODE_REMOTE_CONTAINERS_SESSION: 'tandem' }),
  };
}

/**
 * Inside a container Gemini CLI 0.61 looks for the companion on the container's host, unless one of these says that
 * the editor is in the container as well. Whoever takes this environment runs beside us.
 */
function isKnownToBeRemote({ env }: Machine): boolean {
  const names = ['SSH_CONNECTION', 'REMOTE_CONTAINERS', 'VSCODE_REMOTE_CONTAINERS_SESSION'];
  return names.some((name) => env[name]);
}

/**
 * The roots, separated as the machine separates paths. A root that holds the separator itself would be read as two
 * others, and one that ends with it would leave an empty entry, which matches every folder: it is left out.
 */
function workspacePathOf(editor: Pick<Editor, 'workspace'>, machine: Machine): string {
  const separator = machine.platform === 'win32' ? ';' : ':';
  const folders = editor.workspace.folders().filter((path) => path !== '' && !path.includes(separator));
  return folders.join(separator);
}
