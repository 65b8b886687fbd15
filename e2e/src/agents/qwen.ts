import { openaiDialect } from '../model/openaiDialect.js';
import { call, type Turn } from '../model/turn.js';
import { pinned } from '../pinnedPrograms.js';
import type { Agent } from './agent.js';
import { waitForIdeStatus } from './ideStatus.js';

const IDE_MODE = { ide: { enabled: true, hasSeenNudge: true } };

const SETTINGS = {
  security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
  model: { name: 'fake-model' },
  ui: { enableFollowupSuggestions: false },
  // After a turn it searches for something to remember, with tools, and would consume the turns of the next request.
  memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

function qwenAgent(version: string, node: string, script: string): Agent {
  return {
    name: `Qwen Code ${version}`,
    kind: 'qwen',
    dialect: openaiDialect,
    executable: [node, script],
    withoutRelaunch: { QWEN_CODE_NO_RELAUNCH: 'true' },
    connectFlags: [],
    // 0.24.4 starts in a mode that approves edits by itself and then never opens a diff.
    approvalFlags: ['--approval-mode', 'default'],

    async prepare({ sandbox, isIdeModeOn }) {
      const settings = { ...SETTINGS, ...(isIdeModeOn && IDE_MODE) };
      const folder = sandbox.environment().QWEN_HOME ?? `${sandbox.home}/.qwen`;
      await sandbox.write(`${folder}/settings.json`, JSON.stringify(settings));
    },

    environment({ modelUrl }) {
      return { OPENAI_API_KEY: 'fake', OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: 'fake-model' };
    },

    createFile(path, content) {
      return [call('write_file', { file_path: path, content })];
    },

    overwriteFile(path, content) {
      return [readFile(path), call('write_file', { file_path: path, content })];
    },

    replaceText(path, before, after) {
      return [readFile(path), call('edit', { file_path: path, old_string: before, new_string: after })];
    },

    screen: { ready: /Type your message/, approval: /Apply this change\?/ },
    waitForActiveFile: waitForIdeStatus,
    takesEmpty: false,
    acceptKeys: ['enter'],
    rejectKeys: ['escape'],
    // It does not report who changed what; it quotes the current file.
    reportsEdit: (result, corrected) => result.includes('from the edited file') && result.includes(corrected),
  };
}

function readFile(path: string): Turn {
  return call('read_file', { file_path: path });
}

/** Needs Node 22 or later, hence the pinned one. */
export const qwen = qwenAgent('0.24.4', pinned.node24, pinned.qwen);

/** The last release that runs on Node 20. */
export const qwen015 = qwenAgent('0.15.10', process.execPath, pinned.qwen015);
