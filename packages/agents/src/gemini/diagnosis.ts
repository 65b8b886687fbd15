import { dirname, join } from 'node:path';
import { isWithin } from '@tandem/core';
import {
  type AgentDiagnosis,
  type Choice,
  type DefaultSettings,
  type FoundAnnouncement,
  isRecord,
  portIn,
  portOf,
  type Situation,
  settingAt,
} from '../agentDiagnosis.js';
import { splitFolders } from '../ideCompanion/ideCompanion.js';
import type { Machine } from '../machine.js';
import { looksOutsideContainer, portFileNames } from './discovery.js';

const defaults: DefaultSettings = {
  variable: 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH',
  machineFile: {
    linux: '/etc/gemini-cli/system-defaults.json',
    darwin: '/Library/Application Support/GeminiCli/system-defaults.json',
  },
  isOnlyOfRoot: true,
  settingsVariable: 'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
  ideMode: { ide: { enabled: true, hasSeenNudge: true } },
};

/** How Gemini CLI 0.61 looks for a companion. See PROTOCOL.md. */
export const diagnosis: AgentDiagnosis = {
  nodeFor: () => '20.0.0',
  carrier: { kind: 'http' },
  allowsComments: true,
  variables: {
    port: 'GEMINI_CLI_IDE_SERVER_PORT',
    token: 'GEMINI_CLI_IDE_AUTH_TOKEN',
    others: ['GEMINI_CLI_IDE_WORKSPACE_PATH', 'GEMINI_CLI_IDE_PID'],
  },
  deletesDeadFiles: false,
  defaults,
  lookingIn: (folder) => ({ name: 'TMPDIR', value: dirname(dirname(folder)) }),
  places: ({ tmpdir }) => [
    { folder: join(tmpdir, 'gemini', 'ide'), names: portFileNames, isOwnFolder: true, isRead: true },
  ],
  read(name, content, { platform }) {
    const pid = Number(/^gemini-ide-server-(\d+)/.exec(name)?.[1]);
    const port = isRecord(content) ? portIn(content.port) : undefined;
    if (!isRecord(content) || port === undefined) return undefined;
    const { workspacePath, authToken, ideInfo } = content;
    const ideName = isRecord(ideInfo) ? ideInfo.displayName : undefined;
    return {
      address: { port },
      pid,
      folders: splitFolders(workspacePath, platform),
      opensGate: isRecord(ideInfo),
      ...(typeof authToken === 'string' && { token: authToken }),
      ...(typeof ideName === 'string' && { ideName }),
    };
  },
  settingsFiles: (machine, cwd) => [
    join(geminiHome(machine), 'settings.json'),
    join(cwd, '.gemini', 'settings.json'),
  ],
  readSettings(layers) {
    const mode = settingAt(layers, 'general', 'defaultApprovalMode');
    return {
      isIdeModeOn: settingAt(layers, 'ide', 'enabled') === true,
      opensDiffs: mode !== 'auto_edit' && mode !== 'yolo',
      ...(typeof mode === 'string' && { mode }),
    };
  },
  hooksOff({ layers }) {
    if (settingAt(layers, 'hooksConfig', 'enabled') === false)
      return { cause: 'Its settings contain "hooksConfig": { "enabled": false }' };
    const disabled = settingAt(layers, 'hooksConfig', 'disabled');
    return Array.isArray(disabled) && disabled.includes('tandem')
      ? { cause: 'Its settings contain "hooksConfig": { "disabled": ["tandem"] }' }
      : undefined;
  },
  choose,
  containerCure: (machine) => (looksOutsideContainer(machine) ? 'export REMOTE_CONTAINERS=1' : undefined),
};

/**
 * It chooses exactly one file, and tries no other if that companion does not answer. Without a file, it uses the
 * variables.
 */
function choose(files: readonly FoundAnnouncement[], { cwd, env, platform }: Situation): Choice {
  const matching = files.filter(({ realFolders }) =>
    realFolders.some((folder) => folder === '' || isWithin(folder, cwd)),
  );
  const wantedPort = portIn(env.GEMINI_CLI_IDE_SERVER_PORT);
  const wantedPid = portIn(env.GEMINI_CLI_IDE_PID) ?? Number(env.GEMINI_CLI_IDE_PID);
  const gated = matching.filter(({ announcement }) => announcement.opensGate || isKnownTerminal(env));
  const named = gated.find(({ announcement }) => portOf(announcement) === wantedPort);
  const [first] = gated.toSorted(
    (one, other) =>
      Number(other.announcement.pid === wantedPid) - Number(one.announcement.pid === wantedPid) ||
      Number(other.isPidAlive) - Number(one.isPidAlive) ||
      (other.announcement.pid ?? 0) - (one.announcement.pid ?? 0),
  );
  const taken = named ?? first;
  if (taken !== undefined) {
    const rivals = named ? [] : gated.filter((each) => each !== taken && each.isAnswering);
    return { kind: 'file', path: taken.path, isByItself: true, rivals: rivals.map(({ path }) => path) };
  }
  const folders = splitFolders(env.GEMINI_CLI_IDE_WORKSPACE_PATH, platform);
  return wantedPort !== undefined && isKnownTerminal(env) && folders.some((folder) => isWithin(folder, cwd))
    ? { kind: 'environment', port: wantedPort }
    : { kind: 'none' };
}

/** The terminals in which it starts IDE mode even if no file names the IDE. */
function isKnownTerminal(env: Situation['env']): boolean {
  const { TERM_PROGRAM, ZED_SESSION_ID, XCODE_VERSION_ACTUAL, TERMINAL_EMULATOR } = env;
  return (
    ['vscode', 'sublime', 'zed'].includes(TERM_PROGRAM?.toLowerCase() ?? '') ||
    Boolean(ZED_SESSION_ID || XCODE_VERSION_ACTUAL) ||
    /jetbrains/i.test(TERMINAL_EMULATOR ?? '')
  );
}

export function geminiHome({ env, home }: Machine): string {
  return join(env.GEMINI_CLI_HOME || home, '.gemini');
}
