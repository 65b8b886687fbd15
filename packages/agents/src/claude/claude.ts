import { join } from 'node:path';
import type { AgentDefinition, AgentProtocol } from '../agentProtocol.js';
import { denyingSettings } from '../claudeIde/permissionDenyPatterns.js';
import { descriptor } from './descriptor.js';
import { diagnosis } from './diagnosis.js';
import { claudeHome, discovery } from './discovery.js';

const definition: AgentDefinition = {
  descriptor,
  identity: {
    id: descriptor.id,
    ignoreFiles: denyingSettings,
  },
  discovery,
  diagnosis,
  hooks: async () => (await import('./hooks.js')).hooks,
  hookFile: (machine) => join(claudeHome(machine), 'settings.json'),
};

/** Claude Code's IDE interface: MCP over WebSocket, a dozen tools, three notifications. See PROTOCOL.md. */
export const claude: AgentProtocol = {
  ...definition,
  async start(host) {
    const { serveClaude } = await import('./serve.js');
    return serveClaude(definition, host);
  },
};
