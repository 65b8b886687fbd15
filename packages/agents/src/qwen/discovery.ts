import { join, resolve } from 'node:path';
import type { DiscoveryPlace } from '../agentDiagnosis.js';
import type { AgentDiscovery } from '../agentProtocol.js';
import { joinFolders } from '../ideCompanion/ideCompanion.js';
import type { Machine } from '../machine.js';

/**
 * Discovery files of three generations, all with the same content:
 * - the lock file `~/.qwen/ide/<PORT>.lock` (qwen-companion.md, section I.2). Outside VS Code's terminal, Qwen Code
 *   0.24
 *   connects only with `ideInfo` in it. The process `ppid` must be running, or the CLI deletes the file.
 * - the port file `os.tmpdir()/qwen/ide/qwen-code-ide-server-${PID}-${PORT}.json` of the older document.
 * - `qwen-code-ide-server-<PID>.json` and `-<PORT>.json` in the temporary folder itself, for CLIs before 0.5.1.
 */
export const discovery: AgentDiscovery = {
  files(served) {
    const { editor, machine, port, token } = served;
    const { name, displayName, pid } = editor.info;
    const [locks, portFiles, legacyFiles] = qwenPlaces(machine);
    const content = {
      port,
      workspacePath: joinFolders(served),
      authToken: token,
      ppid: pid,
      ideName: displayName,
      ideInfo: { name, displayName },
    };
    const entry = (place: DiscoveryPlace, fileName: string) => ({
      folder: place.folder,
      isOwnFolder: place.isOwnFolder,
      name: fileName,
      namePattern: place.names,
      content,
    });
    return [
      { ...entry(locks, `${port}.lock`), isChosenByTime: true },
      entry(portFiles, `qwen-code-ide-server-${pid}-${port}.json`),
      entry(legacyFiles, `qwen-code-ide-server-${pid}.json`),
      entry(legacyFiles, `qwen-code-ide-server-${port}.json`),
    ];
  },
  /** The port selects the lock file. The CLI also needs its folder if that is not the default. */
  environment(served) {
    const { machine, port } = served;
    return {
      QWEN_CODE_IDE_SERVER_PORT: String(port),
      QWEN_CODE_IDE_WORKSPACE_PATH: joinFolders(served),
      ...(machine.env.QWEN_HOME && { QWEN_HOME: qwenHome(machine) }),
    };
  },
};

/** The folders of lock files, of port files and of legacy files. */
export function qwenPlaces(machine: Machine) {
  return [
    { folder: join(qwenHome(machine), 'ide'), names: /^\d+\.lock$/, isOwnFolder: true, isRead: true },
    {
      folder: join(machine.tmpdir, 'qwen', 'ide'),
      names: /^qwen-code-ide-server-\d+-\d+\.json$/,
      isOwnFolder: true,
      isRead: false,
    },
    {
      folder: machine.tmpdir,
      names: /^qwen-code-ide-server-\d+\.json$/,
      isOwnFolder: false,
      isRead: false,
    },
  ] as const;
}

/** Qwen Code's own folder, resolved as the CLI does: `QWEN_HOME` may begin with `~` or be relative. */
export function qwenHome({ env, home }: Machine): string {
  const configured = env.QWEN_HOME;
  if (!configured) return join(home, '.qwen');
  return resolve(configured.replace(/^~(?=$|[\\/])/, () => home));
}
