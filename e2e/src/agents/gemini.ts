import { geminiDialect } from '../model/geminiDialect.js';
import { call, type Turn } from '../model/turn.js';
import { pinned } from '../pinnedPrograms.js';
import type { Agent } from './agent.js';
import { waitForIdeStatus } from './ideStatus.js';

const SETTINGS = {
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  model: { name: 'gemini-2.5-flash' },
  ui: { hideTips: true, hideBanner: true },
};

export const gemini: Agent = {
  name: 'Gemini CLI 0.61.0',
  kind: 'gemini',
  dialect: geminiDialect,
  executable: [process.execPath, pinned.gemini],
  withoutRelaunch: { GEMINI_CLI_NO_RELAUNCH: 'true' },
  connectFlags: [],
  approvalFlags: [],

  async prepare({ sandbox, isIdeModeOn }) {
    const settings = { ...SETTINGS, ide: { ...(isIdeModeOn && { enabled: true }), hasSeenNudge: true } };
    await sandbox.write(`${sandbox.home}/.gemini/settings.json`, JSON.stringify(settings));
    // In a VS Code terminal it offers once to change VS Code's key bindings.
    await sandbox.write(
      `${sandbox.home}/.gemini/state.json`,
      JSON.stringify({ terminalSetupPromptShown: true }),
    );
  },

  environment({ modelUrl }) {
    return {
      GEMINI_API_KEY: 'fake',
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      // In a container Gemini CLI 0.61.0 looks for the companion on host.docker.internal, unless over SSH.
      SSH_CONNECTION: '127.0.0.1 1 127.0.0.1 22',
    };
  },

  createFile: writeFile,
  overwriteFile: writeFile,

  replaceText(path, before, after) {
    const instruction = `Replace ${before} by ${after}.`;
    return [call('replace', { file_path: path, instruction, old_string: before, new_string: after })];
  },

  screen: { ready: /Type your message/, approval: /Apply this change\?/ },
  waitForActiveFile: waitForIdeStatus,
  takesEmpty: false,
  acceptKeys: ['enter'],
  rejectKeys: ['escape'],
  reportsEdit: (result, corrected) =>
    result.includes('The confirmation step modified the `new_string` content') && result.includes(corrected),
};

function writeFile(path: string, content: string): Turn[] {
  return [call('write_file', { file_path: path, content })];
}
