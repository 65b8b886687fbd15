import { join } from 'node:path';
import { openaiDialect } from '../model/openaiDialect.js';
import { call } from '../model/turn.js';
import { pinned } from '../pinnedPrograms.js';
import type { Agent } from './agent.js';

/** In the node_modules folder of the program. */
const cache = join(pinned.copilot, '../../../.cache/copilot');

export const copilot: Agent = {
  name: 'Copilot CLI 1.0.102',
  kind: 'copilot',
  dialect: openaiDialect,
  executable: [pinned.copilot],
  withoutRelaunch: {},
  connectFlags: [],
  approvalFlags: [],

  async prepare({ sandbox }) {
    // Trust covers subfolders.
    const config = { trustedFolders: [sandbox.root], appTipShown: true };
    await sandbox.write(`${sandbox.home}/.copilot/config.json`, JSON.stringify(config));
  },

  environment({ modelUrl }) {
    return {
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: 'fake',
      COPILOT_MODEL: 'gpt-4.1',
      // Otherwise it offers a key binding if VS Code's terminal answers its question about keys late.
      COPILOT_SETUP_TERMINAL: 'false',
      // It unpacks itself at its first start, which takes seconds.
      COPILOT_CACHE_HOME: cache,
    };
  },

  createFile(path, content) {
    return [call('create', { path, file_text: content })];
  },

  // It has no tool that overwrites a file.
  overwriteFile() {
    throw new Error('Copilot CLI only edits and creates files.');
  },

  replaceText(path, before, after) {
    return [call('edit', { path, old_str: before, new_str: after })];
  },

  screen: { ready: /\? help|\/ commands/, approval: /Do you want to (edit|create) / },
  // It shows the name in its footer, with the lines of a selection.
  waitForActiveFile: (terminal, name, isActive) =>
    terminal.waitFor((screen) => new RegExp(`@${name}(:\\d+(-\\d+)?)?$`, 'm').test(screen) === isActive),
  takesEmpty: false,
  acceptKeys: ['enter'],
  rejectKeys: ['escape'],
  reportsEdit: () => false,
};
