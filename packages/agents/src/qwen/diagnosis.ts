import { dirname, join } from 'node:path';
import { isWithin } from '@tandem/core';
import {
  type AgentDiagnosis,
  allHooksDisabled,
  type Choice,
  type DefaultSettings,
  defaultsFileOf,
  type FoundAnnouncement,
  isRecord,
  portIn,
  portOf,
  type Situation,
  settingAt,
} from '../agentDiagnosis.js';
import { splitFolders } from '../ideCompanion/ideCompanion.js';
import type { Machine } from '../machine.js';
import { qwenHome, qwenPlaces } from './discovery.js';

/** Qwen Code 0.15 and 0.24 read it. */
const defaults: DefaultSettings = {
  variable: 'QWEN_CODE_SYSTEM_DEFAULTS_PATH',
  machineFile: {
    linux: '/etc/qwen-code/system-defaults.json',
    darwin: '/Library/Application Support/QwenCode/system-defaults.json',
    win32: 'C:\\ProgramData\\qwen-code\\system-defaults.json',
  },
  isOnlyOfRoot: false,
  settingsVariable: 'QWEN_CODE_SYSTEM_SETTINGS_PATH',
  ideMode: { ide: { enabled: true, hasSeenNudge: true } },
};

/** How Qwen Code 0.15 to 0.24 looks for a companion. See PROTOCOL.md. */
export const diagnosis: AgentDiagnosis = {
  nodeFor: (version) => (isEarly(version) ? '20.0.0' : '22.0.0'),
  carrier: { kind: 'http' },
  allowsComments: true,
  variables: { port: 'QWEN_CODE_IDE_SERVER_PORT', others: ['QWEN_CODE_IDE_WORKSPACE_PATH'] },
  deletesDeadFiles: true,
  defaults,
  lookingIn: (folder) => ({ name: 'QWEN_HOME', value: dirname(folder) }),
  places: qwenPlaces,
  read(name, content, { platform }) {
    const port = isRecord(content) ? portIn(content.port) : undefined;
    if (!isRecord(content) || port === undefined) return undefined;
    const { workspacePath, authToken, ppid, ideInfo, ideName } = content;
    const pid = portIn(ppid) ?? (typeof ppid === 'number' ? ppid : undefined);
    return {
      address: { port: portIn(/^(\d+)\.lock$/.exec(name)?.[1]) ?? port },
      folders: splitFolders(workspacePath, platform),
      opensGate: isRecord(ideInfo),
      ...(typeof authToken === 'string' && { token: authToken }),
      ...(pid !== undefined && { pid }),
      ...(typeof ideName === 'string' && { ideName }),
    };
  },
  settingsFiles: (machine, cwd) => [
    ...defaultsFiles(machine),
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
  hooksOff: allHooksDisabled,
  choose,
};

/** Up to 0.15, the last version for Node 20, it starts in mode `default`; 0.24 starts in `auto`. */
function isEarly(version: string | undefined): boolean {
  return version !== undefined && /^0\.(\d|1[0-5])\./.test(version);
}

/** It chooses the lock file of the port in the variable, otherwise the matching lock files, the newest first. */
function choose(files: readonly FoundAnnouncement[], { cwd, env }: Situation): Choice {
  const isVscode = env.TERM_PROGRAM === 'vscode';
  const matching = files.filter(
    ({ isRead, announcement, realFolders }) =>
      isRead &&
      (announcement.opensGate || isVscode) &&
      realFolders.some((folder) => folder === '' || isWithin(folder, cwd)),
  );
  const wantedPort = portIn(env.QWEN_CODE_IDE_SERVER_PORT);
  const named = matching.find(({ announcement }) => portOf(announcement) === wantedPort);
  const byAge = matching.toSorted((one, other) => other.modifiedAt - one.modifiedAt);
  const taken = named ?? byAge.find(({ isAnswering }) => isAnswering) ?? byAge[0];
  if (taken === undefined) return { kind: 'none' };
  const rivals = named ? [] : matching.filter((each) => each !== taken && each.isAnswering);
  return { kind: 'file', path: taken.path, isByItself: true, rivals: rivals.map(({ path }) => path) };
}

function defaultsFiles(machine: Machine): string[] {
  const file = defaultsFileOf(defaults, machine);
  return file === undefined ? [] : [file];
}
