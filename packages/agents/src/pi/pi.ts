import { join } from 'node:path';
import type { Path } from '@tandem/core';
import type { AgentDiagnosis } from '../agentDiagnosis.js';
import type { AgentDefinition, AgentProtocol } from '../agentProtocol.js';
import type { Machine } from '../machine.js';
import { descriptor } from './descriptor.js';

/** It looks for no companion. See PROTOCOL.md. */
const diagnosis: AgentDiagnosis = {
  nodeFor: () => '22.19.0',
  carrier: { kind: 'http' },
  deletesDeadFiles: false,
  lookingIn: (folder) => ({ name: 'PI_CODING_AGENT_DIR', value: folder }),
  places: () => [],
  read: () => undefined,
  settingsFiles: (machine) => [join(piHome(machine), 'settings.json')],
  readSettings: () => ({ opensDiffs: true }),
  choose: () => ({ kind: 'none' }),
};

const definition: AgentDefinition = {
  descriptor,
  identity: { id: descriptor.id, ignoreFiles: [] },
  discovery: { files: () => [], environment: () => ({}) },
  diagnosis,
  hooks: async () => (await import('./hooks.js')).hooks,
  hookFile: (machine) => join(piHome(machine), 'extensions', 'tandem.js'),
};

function piHome({ env, home }: Pick<Machine, 'env' | 'home'>): Path {
  return env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent');
}

/** pi, which has no interface for editors: all that Tandem knows of it comes from its hooks. See PROTOCOL.md. */
export const pi: AgentProtocol = {
  ...definition,
  async start(host) {
    const { serveHookedOnly } = await import('../hooks/serveHookedOnly.js');
    return serveHookedOnly(definition, host);
  },
};
