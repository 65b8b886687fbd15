import { openaiDialect } from '../model/openaiDialect.js';
import { pinned } from '../pinnedPrograms.js';
import type { ContextAgent } from './agent.js';

function opencodeAgent(of: Pick<ContextAgent, 'name' | 'kind' | 'executable'>, config: string): ContextAgent {
  return {
    ...of,
    dialect: openaiDialect,
    withoutRelaunch: {},
    connectFlags: [],
    approvalFlags: [],

    async prepare({ sandbox, modelUrl }) {
      await sandbox.write(`${sandbox.home}/.config/${config}`, JSON.stringify(settings(modelUrl)));
    },

    environment: () => ({}),
    screen: { ready: /Ask anything|ctrl\+p commands/ },
    // Its footer shows `a.txt`, or `a.txt#2` with a selection; the file is not named in the folder's path.
    waitForActiveFile: (terminal, name, isActive) =>
      terminal.waitFor(
        (screen) => new RegExp(`${name.replaceAll('.', '\\.')}(#\\d+(-\\d+)?)? `).test(screen) === isActive,
      ),
  };
}

/** A provider of its own for each: two CLIs of one kind share the file. */
function settings(modelUrl: string): object {
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'scripted/fake',
    small_model: 'scripted/fake',
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: `${modelUrl}/v1`, apiKey: 'fake' },
        models: { fake: { name: 'Fake' } },
      },
    },
  };
}

export const opencode = opencodeAgent(
  { name: 'opencode 1.18.33', kind: 'opencode', executable: [pinned.opencode] },
  'opencode/opencode.json',
);

export const kilo = opencodeAgent(
  { name: 'Kilo CLI 7.7.9', kind: 'kilo', executable: [pinned.kilo] },
  'kilo/kilo.json',
);
