import { openaiDialect } from '../model/openaiDialect.js';
import { call } from '../model/turn.js';
import { pinned } from '../pinnedPrograms.js';
import type { HookedAgent } from './agent.js';

/** It connects only if `tandem run` starts it. Needs Node 22.19 or later, hence the pinned one. */
export const pi: HookedAgent = {
  name: 'pi 1.6.0',
  kind: 'pi',
  dialect: openaiDialect,
  executable: [pinned.node24, pinned.pi],
  withoutRelaunch: {},
  connectFlags: [],
  approvalFlags: [],

  async prepare({ sandbox, modelUrl }) {
    const folder = `${sandbox.home}/.pi/agent`;
    const scripted = {
      baseUrl: `${modelUrl}/v1`,
      api: 'openai-completions',
      apiKey: 'fake',
      models: [{ id: 'fake' }],
    };
    await sandbox.write(`${folder}/models.json`, JSON.stringify({ providers: { scripted } }));
    const settings = { defaultProvider: 'scripted', defaultModel: 'fake', quietStartup: true };
    await sandbox.write(`${folder}/settings.json`, JSON.stringify(settings));
  },

  environment: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' }),
  createFile: (path, content) => [call('write', { path, content })],
  replaceText: (path, before, after) => [
    call('read', { path }),
    call('edit', { path, edits: [{ oldText: before, newText: after }] }),
  ],
  // Its footer, while no turn runs.
  screen: { ready: /^(?![\s\S]*─ \S Working ─)[\s\S]*%\/128k \(auto\)/ },
  waitForActiveFile: () => Promise.reject(new Error('pi sees nothing of the editor.')),
};
