import { dirname, join, resolve } from 'node:path';
import { isWithin } from '@tandem/core';
import {
  type AgentDiagnosis,
  type Choice,
  type FoundAnnouncement,
  isRecord,
  portIn,
  type Situation,
  settingAt,
} from '../agentDiagnosis.js';
import type { Machine } from '../agentProtocol.js';

/** How Qwen Code 0.15 to 0.24 looks for a companion. See PROTOCOL.md. */
export const qwenDiagnosis: AgentDiagnosis = {
  program: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code',
  testedVersions: ['0.24.4', '0.15.10'],
  nodeFor: (version) => (isEarly(version) ? '20.0.0' : '22.0.0'),
  carrier: { kind: 'http' },
  variables: { port: 'QWEN_CODE_IDE_SERVER_PORT', others: ['QWEN_CODE_IDE_WORKSPACE_PATH'] },
  connect: '/ide enable',
  askingCommand: 'qwen --approval-mode default',
  deletesDeadFiles: true,
  takesDefaults: true,
  lookingIn: (folder) => ({ name: 'QWEN_HOME', value: dirname(folder) }),
  places: (machine) => [
    { folder: join(qwenHome(machine), 'ide'), names: /^\d+\.lock$/, isOwnFolder: true, isRead: true },
    {
      folder: machine.tmpdir,
      names: /^qwen-code-ide-server-\d+\.json$/,
      isOwnFolder: false,
      isRead: false,
    },
    {
      folder: join(machine.tmpdir, 'qwen', 'ide'),
      names: /^qwen-code-ide-server-\d+-\d+\.json$/,
      isOwnFolder: true,
      isRead: false,
    },
  ],
  read(name, content, { platform }) {
    const port = isRecord(content) ? portIn(content.port) : undefined;
    if (!isRecord(content) || port === undefined) return undefined;
    const { workspacePath, authToken, ppid, ideInfo, ideName } = content;
    const pid = portIn(ppid) ?? (typeof ppid === 'number' ? ppid : undefined);
    return {
      port: portIn(/^(\d+)\.lock$/.exec(name)?.[1]) ?? port,
      folders: splitFolders(workspacePath, platform),
      opensGate: isRecord(ideInfo),
      ...(typeof authToken === 'string' && { token: authToken }),
      ...(pid !== undefined && { pid }),
      ...(typeof ideName === 'string' && { ideName }),
    };
  },
  settingsFiles: (machine, cwd) => [
    ...systemFiles(machine),
    join(qwenHome(machine), 'settings.json'),
    join(cwd, '.qwen', 'settings.json'),
  ],
  readSettings(layers, version) {
    const mode = settingAt(layers, 'tools', 'approvalMode');
    return {
      isIdeModeOn: settingAt(layers, 'ide', 'enabled') === true,
      opensDiffs: mode === undefined ? isEarly(version) : mode === 'default' || mode === 'plan',
      ...(typeof mode === 'string' && { mode }),
    };
  },
  choose,
};

/** Up to 0.15, the last that runs on Node 20, it begins in mode `default`; 0.24 in `auto`. */
function isEarly(version: string | undefined): boolean {
  return version !== undefined && /^0\.(\d|1[0-5])\./.test(version);
}

/** The port of the variable names the lock file; else it tries the lock files that match, the newest first. */
function choose(files: readonly FoundAnnouncement[], { cwd, env }: Situation): Choice {
  const isVscode = env.TERM_PROGRAM === 'vscode';
  const matching = files.filter(
    ({ isRead, announcement, realFolders }) =>
      isRead &&
      (announcement.opensGate || isVscode) &&
      realFolders.some((folder) => folder === '' || isWithin(folder, cwd)),
  );
  const wantedPort = portIn(env.QWEN_CODE_IDE_SERVER_PORT);
  const named = matching.find(({ announcement }) => announcement.port === wantedPort);
  const byAge = matching.toSorted((one, other) => other.modifiedAt - one.modifiedAt);
  const taken = named ?? byAge.find(({ isAnswering }) => isAnswering) ?? byAge[0];
  if (taken === undefined) return { kind: 'none' };
  const rivals = named ? [] : matching.filter((each) => each !== taken && each.isAnswering);
  return { kind: 'file', path: taken.path, isByItself: true, rivals: rivals.map(({ path }) => path) };
}

function systemFiles({ env, platform }: Machine): string[] {
  if (env.QWEN_CODE_SYSTEM_DEFAULTS_PATH) return [env.QWEN_CODE_SYSTEM_DEFAULTS_PATH];
  return platform === 'linux' ? ['/etc/qwen-code/system-defaults.json'] : [];
}

function splitFolders(text: unknown, platform: NodeJS.Platform): string[] {
  return typeof text !== 'string' || text === '' ? [] : text.split(platform === 'win32' ? ';' : ':');
}

function qwenHome({ env, home }: Machine): string {
  const configured = env.QWEN_HOME;
  if (!configured) return join(home, '.qwen');
  return resolve(configured.replace(/^~(?=$|[\\/])/, () => home));
}
