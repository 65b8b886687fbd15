import { dirname, join } from 'node:path';
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

/** How Gemini CLI 0.61 looks for a companion. See PROTOCOL.md. */
export const geminiDiagnosis: AgentDiagnosis = {
  program: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  testedVersions: ['0.61.0'],
  nodeFor: () => '20.0.0',
  carrier: { kind: 'http' },
  variables: {
    port: 'GEMINI_CLI_IDE_SERVER_PORT',
    token: 'GEMINI_CLI_IDE_AUTH_TOKEN',
    others: ['GEMINI_CLI_IDE_WORKSPACE_PATH', 'GEMINI_CLI_IDE_PID'],
  },
  connect: '/ide enable',
  askingCommand: 'gemini --approval-mode default',
  deletesDeadFiles: false,
  // It takes such a file from root alone.
  takesDefaults: false,
  lookingIn: (folder) => ({ name: 'TMPDIR', value: dirname(dirname(folder)) }),
  places: ({ tmpdir }) => [
    {
      folder: join(tmpdir, 'gemini', 'ide'),
      names: /^gemini-ide-server-\d+(-\d+)?\.json$/,
      isOwnFolder: true,
      isRead: true,
    },
  ],
  read(name, content, { platform }) {
    const pid = Number(/^gemini-ide-server-(\d+)/.exec(name)?.[1]);
    const port = isRecord(content) ? portIn(content.port) : undefined;
    if (!isRecord(content) || port === undefined) return undefined;
    const { workspacePath, authToken, ideInfo } = content;
    const ideName = isRecord(ideInfo) ? ideInfo.displayName : undefined;
    return {
      port,
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
    const isAuto = mode === 'auto_edit' || mode === 'yolo';
    return {
      isIdeModeOn: settingAt(layers, 'ide', 'enabled') === true,
      opensDiffs: !isAuto,
      ...(typeof mode === 'string' && { mode }),
    };
  },
  choose,
  containerCure({ isContainer, env }) {
    const names = ['SSH_CONNECTION', 'REMOTE_CONTAINERS', 'VSCODE_REMOTE_CONTAINERS_SESSION'];
    return isContainer && !names.some((name) => env[name]) ? 'export REMOTE_CONTAINERS=1' : undefined;
  },
};

/** It takes exactly one file, and no other when that one does not answer. Without any it takes the variables. */
function choose(files: readonly FoundAnnouncement[], { cwd, env, platform }: Situation): Choice {
  const matching = files.filter(({ realFolders }) =>
    realFolders.some((folder) => folder === '' || isWithin(folder, cwd)),
  );
  const wantedPort = portIn(env.GEMINI_CLI_IDE_SERVER_PORT);
  const wantedPid = portIn(env.GEMINI_CLI_IDE_PID) ?? Number(env.GEMINI_CLI_IDE_PID);
  const gated = matching.filter(({ announcement }) => announcement.opensGate || isKnownTerminal(env));
  const named = gated.find(({ announcement }) => announcement.port === wantedPort);
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
  const isInWorkspace = splitFolders(env.GEMINI_CLI_IDE_WORKSPACE_PATH, platform).some((folder) =>
    isWithin(folder, cwd),
  );
  const isReachable = wantedPort !== undefined && isInWorkspace && isKnownTerminal(env);
  return isReachable && wantedPort !== undefined
    ? { kind: 'environment', port: wantedPort }
    : { kind: 'none' };
}

/** The terminals in which it starts its IDE mode without a file that says who is there. */
function isKnownTerminal(env: Situation['env']): boolean {
  const { TERM_PROGRAM, ZED_SESSION_ID, XCODE_VERSION_ACTUAL, TERMINAL_EMULATOR } = env;
  return (
    ['vscode', 'sublime', 'zed'].includes(TERM_PROGRAM?.toLowerCase() ?? '') ||
    Boolean(ZED_SESSION_ID || XCODE_VERSION_ACTUAL) ||
    /jetbrains/i.test(TERMINAL_EMULATOR ?? '')
  );
}

function splitFolders(text: unknown, platform: NodeJS.Platform): string[] {
  return typeof text !== 'string' || text === '' ? [] : text.split(platform === 'win32' ? ';' : ':');
}

function geminiHome({ env, home }: Machine): string {
  return join(env.GEMINI_CLI_HOME || home, '.gemini');
}
