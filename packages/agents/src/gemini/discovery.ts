import { join } from 'node:path';
import type { AgentDiscovery } from '../agentProtocol.js';
import { joinFolders } from '../ideCompanion/ideCompanion.js';
import type { Machine } from '../machine.js';

/**
 * The port file `os.tmpdir()/gemini/ide/gemini-ide-server-${PID}-${PORT}.json` (gemini-companion.md, section I.2). With
 * `ideInfo`, the CLI connects in any terminal.
 *
 * Of the variables, the port selects a window; the process id selects our file, whatever the process tree is; token and
 * workspace are for a CLI that cannot read the file.
 */
export const discovery: AgentDiscovery = {
  files(served) {
    const { editor, machine, port, token } = served;
    const { name, displayName, pid } = editor.info;
    return [
      {
        folder: join(machine.tmpdir, 'gemini', 'ide'),
        isOwnFolder: true,
        name: `gemini-ide-server-${pid}-${port}.json`,
        namePattern: portFileNames,
        content: {
          port,
          workspacePath: joinFolders(served),
          authToken: token,
          ideInfo: { name, displayName },
        },
      },
    ];
  },
  environment(served) {
    const { editor, machine, port, token, isAnnounced } = served;
    return {
      GEMINI_CLI_IDE_SERVER_PORT: String(port),
      GEMINI_CLI_IDE_WORKSPACE_PATH: joinFolders(served),
      GEMINI_CLI_IDE_AUTH_TOKEN: token,
      GEMINI_CLI_IDE_PID: String(editor.info.pid),
      ...(looksOutsideContainer(machine) && { VSCODE_REMOTE_CONTAINERS_SESSION: 'tandem' }),
      // Without a file, Gemini CLI 0.61 starts its IDE mode only in terminals of some editors.
      ...(!isAnnounced && { ZED_SESSION_ID: 'tandem' }),
    };
  },
};

/** Names of port files, with and without a port. */
export const portFileNames = /^gemini-ide-server-\d+(-\d+)?\.json$/;

/**
 * Inside a container, Gemini CLI 0.61 looks for the companion on the container's host, unless one of these variables
 * states that the editor is in the container, too.
 */
export function looksOutsideContainer({ isContainer = false, env }: Machine): boolean {
  const names = ['SSH_CONNECTION', 'REMOTE_CONTAINERS', 'VSCODE_REMOTE_CONTAINERS_SESSION'];
  return isContainer && !names.some((name) => env[name]);
}
