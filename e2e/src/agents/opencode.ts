import { openaiDialect } from '../model/openaiDialect.js';
import { call } from '../model/turn.js';
import { pinned } from '../pinnedPrograms.js';
import type { HookedAgent } from './agent.js';

/** `plugin`: the package that it installs from the registry into its configuration folder, unless it is there. */
function opencodeAgent(of: Pick<HookedAgent, 'name' | 'kind' | 'executable'>, plugin: string): HookedAgent {
  return {
    ...of,
    dialect: openaiDialect,
    withoutRelaunch: {},
    connectFlags: [],
    approvalFlags: [],

    async prepare({ sandbox, modelUrl }) {
      const folder = `${sandbox.home}/.config/${of.kind}`;
      await sandbox.write(`${folder}/${of.kind}.json`, JSON.stringify(settings(modelUrl)));
      // It only looks for the folder and for the name in the lock file.
      await sandbox.write(`${folder}/node_modules/.keep`, '');
      const lock = { packages: { '': { dependencies: { [plugin]: '*' } } } };
      await sandbox.write(`${folder}/package-lock.json`, JSON.stringify(lock));
      // Its animations take a third of a core.
      await sandbox.write(
        `${sandbox.state}/${of.kind}/kv.json`,
        JSON.stringify({ animations_enabled: false }),
      );
    },

    environment: () => ({}),
    createFile: (path, content) => [call('write', { filePath: path, content })],
    replaceText: (path, before, after) => [
      call('read', { filePath: path }),
      call('edit', { filePath: path, oldString: before, newString: after }),
    ],
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
  { name: 'opencode 1.18.34', kind: 'opencode', executable: [pinned.opencode] },
  '@opencode-ai/plugin',
);

export const kilo = opencodeAgent(
  { name: 'Kilo CLI 7.7.9', kind: 'kilo', executable: [pinned.kilo] },
  '@kilocode/plugin',
);
