import { join, resolve } from 'node:path';
import type { Editor } from '@tandem/core';
import type { DiscoveryEntry, Machine } from '../agentProtocol.js';

interface Served {
  readonly editor: Pick<Editor, 'info' | 'workspace'>;
  readonly machine: Machine;
  readonly port: number;
  readonly token: string;
}

/**
 * The files by which Qwen Code finds us, of three generations:
 * - the lock file `~/.qwen/ide/<PORT>.lock` (qwen-companion.md, section I.2), with `ideInfo` as well: outside VS
 *   Code's terminal, Qwen Code 0.24 connects only when it is there. `ppid` must live, or its scan deletes the file.
 *   `QWEN_HOME` moves the folder.
 * - the port file `os.tmpdir()/qwen/ide/qwen-code-ide-server-${PID}-${PORT}.json` of the older document.
 * - `qwen-code-ide-server-<PID>.json` and `-<PORT>.json` in the temporary folder itself, for CLIs before 0.5.1.
 *
 * With no folder open they stand as well, with an empty `workspacePath`: the CLI then asks the person to open one.
 */
export function qwenDiscovery({ editor, machine, port, token }: Served): DiscoveryEntry[] {
  const { name, displayName, pid } = editor.info;
  const content = {
    port,
    workspacePath: workspacePathOf(editor, machine),
    authToken: token,
    ppid: pid,
    ideName: displayName,
    ideInfo: { name, displayName },
  };
  const inTemporaryRoot = (suffix: number): DiscoveryEntry => ({
    folder: machine.tmpdir,
    isOwnFolder: false,
    name: `qwen-code-ide-server-${suffix}.json`,
    namePattern: /^qwen-code-ide-server-\d+\.json$/,
    content,
  });
  return [
    {
      folder: join(qwenHome(machine), 'ide'),
      isOwnFolder: true,
      name: `${port}.lock`,
      namePattern: /^\d+\.lock$/,
      content,
    },
    {
      folder: join(machine.tmpdir, 'qwen', 'ide'),
      isOwnFolder: true,
      name: `qwen-code-ide-server-${pid}-${port}.json`,
      namePattern: /^qwen-code-ide-server-\d+-\d+\.json$/,
      content,
    },
    inTemporaryRoot(pid),
    inTemporaryRoot(port),
  ];
}

/**
 * What a terminal outside the editor exports. The port names the lock file to read; the workspace path is what the
 * official companion exports beside it. Where the lock file lies elsewhere than by default, the CLI must know.
 */
export function qwenEnvironment({ editor, machine, port }: Served): Record<string, string> {
  return {
    QWEN_CODE_IDE_SERVER_PORT: String(port),
    QWEN_CODE_IDE_WORKSPACE_PATH: workspacePathOf(editor, machine),
    ...(machine.env.QWEN_HOME && { QWEN_HOME: qwenHome(machine) }),
  };
}

/** Qwen Code's own folder, found as the CLI finds it: `QWEN_HOME` may begin with `~` or be relative. */
function qwenHome({ env, home }: Machine): string {
  const configured = env.QWEN_HOME;
  if (!configured) return join(home, '.qwen');
  return resolve(configured.replace(/^~(?=$|[\\/])/, () => home));
}

/**
 * The roots, separated as the machine separates paths. A root that holds the separator itself would be read as two
 * others, and one that ends with it would leave an empty entry: it is left out.
 */
function workspacePathOf(editor: Pick<Editor, 'workspace'>, machine: Machine): string {
  const separator = machine.platform === 'win32' ? ';' : ':';
  const folders = editor.workspace.folders().filter((path) => path !== '' && !path.includes(separator));
  return folders.join(separator);
}
