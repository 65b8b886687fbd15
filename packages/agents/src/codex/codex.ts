import { join } from 'node:path';
import type { AgentDefinition, AgentProtocol } from '../agentProtocol.js';
import { descriptor } from './descriptor.js';
import { diagnosis } from './diagnosis.js';
import { codexHome, discovery } from './discovery.js';

const definition: AgentDefinition = {
  descriptor,
  identity: { id: descriptor.id, ignoreFiles: [] },
  discovery,
  diagnosis,
  hooks: async () => (await import('./hooks.js')).hooks,
  hookFile: (machine) => join(codexHome(machine), 'hooks.json'),
};

/** Codex CLI's `/ide`: one question before each prompt, over a socket that all companions share. See PROTOCOL.md. */
export const codex: AgentProtocol = {
  ...definition,
  async start(host) {
    const { serveCodex } = await import('./serve.js');
    return serveCodex(definition, host);
  },
};
