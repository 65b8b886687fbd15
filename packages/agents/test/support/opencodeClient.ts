import { ClaudeClient } from './claudeClient.js';
import type { AgentEndpoint } from './rpc.js';

/**
 * Connects as opencode 1.18.34 and Kilo CLI 7.7.9 do: with Claude Code's token, without a subprotocol, and with two
 * messages.
 */
export async function connectOpencode({ url, token }: AgentEndpoint): Promise<ClaudeClient> {
  const client = await ClaudeClient.open(url, token, []);
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'opencode', version: '0.0.0' },
  });
  client.notify('notifications/initialized');
  return client;
}
