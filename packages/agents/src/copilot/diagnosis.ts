import { dirname, join } from 'node:path';
import {
  type AgentDiagnosis,
  allHooksDisabled,
  type Choice,
  type FoundAnnouncement,
  isRecord,
  type Situation,
  settingAt,
} from '../agentDiagnosis.js';
import { copilotHome, credentials, scheme } from './discovery.js';

/** With `true`, it asks before no edit. */
const approvalVariable = 'COPILOT_ALLOW_ALL';

/** How Copilot CLI 1.0 looks for a companion. See PROTOCOL.md. */
export const diagnosis: AgentDiagnosis = {
  carrier: { kind: 'http', scheme },
  deletesDeadFiles: false,
  lookingIn: (folder) => ({ name: 'COPILOT_HOME', value: dirname(folder) }),
  places: (machine) => [
    { folder: join(copilotHome(machine), 'ide'), names: /\.lock$/, isOwnFolder: true, isRead: true },
  ],
  read(_name, content) {
    if (!isRecord(content) || typeof content.socketPath !== 'string') return undefined;
    const { socketPath, pid, workspaceFolders, ideName } = content;
    const token = credentials(content)?.token;
    const folders = Array.isArray(workspaceFolders) ? workspaceFolders : [];
    return {
      address: { socket: socketPath },
      folders: folders.filter((folder) => typeof folder === 'string'),
      opensGate: true,
      ...(token !== undefined && { token }),
      ...(typeof pid === 'number' && { pid }),
      ...(typeof ideName === 'string' && { ideName }),
    };
  },
  settingsFiles: (machine) => [
    join(copilotHome(machine), 'config.json'),
    join(copilotHome(machine), 'settings.json'),
  ],
  readSettings(layers, _version, env = {}) {
    const isIdeModeOn = settingAt(layers, 'ide', 'autoConnect') !== false;
    const approvesAll = env[approvalVariable] === 'true';
    const opensDiffs = settingAt(layers, 'ide', 'openDiffOnEdit') !== false && !approvesAll;
    return {
      isIdeModeOn,
      opensDiffs,
      offBecause: {
        ...(!isIdeModeOn && { ideMode: 'Its settings contain "ide": { "autoConnect": false }' }),
        ...(!opensDiffs && { diffs: 'Its settings contain "ide": { "openDiffOnEdit": false }' }),
        ...(approvesAll && {
          diffs: `This shell sets ${approvalVariable}=true, so Copilot CLI approves its own edits`,
          variable: approvalVariable,
        }),
      },
    };
  },
  hooksOff: allHooksDisabled,
  choose,
};

/** It connects by itself to the first file with exactly its folder. In a subfolder, the user connects it by hand. */
function choose(files: readonly FoundAnnouncement[], { cwd }: Situation): Choice {
  const alive = files.filter(({ isPidAlive, isAnswering }) => isPidAlive && isAnswering);
  const [first, ...rivals] = alive.filter(({ realFolders }) => realFolders.includes(cwd));
  const around = alive.find(({ realFolders }) =>
    realFolders.some((folder) => cwd.startsWith(join(folder, '/'))),
  );
  if (first !== undefined)
    return { kind: 'file', path: first.path, isByItself: true, rivals: rivals.map(({ path }) => path) };
  return around === undefined
    ? { kind: 'none' }
    : { kind: 'file', path: around.path, isByItself: false, rivals: [] };
}
