import { join } from 'node:path';
import type { AgentDefinition, AgentProtocol } from '../agentProtocol.js';
import { descriptor } from './descriptor.js';
import { diagnosis } from './diagnosis.js';
import { copilotHome, discovery } from './discovery.js';

const definition: AgentDefinition = {
  descriptor,
  identity: { id: descriptor.id, ignoreFiles: [] },
  discovery,
  diagnosis,
  hooks: async () => (await import('./hooks.js')).hooks,
  hookFile: (machine) => join(copilotHome(machine), 'hooks', 'tandem.json'),
};

/** Copilot CLI's IDE interface: MCP over HTTP on a Unix socket, five tools, two notifications. See PROTOCOL.md. */
export const copilot: AgentProtocol = {
  ...definition,
  async start(host) {
    const { serveCopilot } = await import('./serve.js');
    return serveCopilot(definition, host);
  },
};
