import type { AgentDefinition, AgentProtocol, Served } from '../agentProtocol.js';
import type { Machine } from '../machine.js';

/**
 * An agent that speaks the IDE companion protocol: MCP over HTTP, two tools, three notifications. See PROTOCOL.md. Gemini
 * CLI brought it, Qwen Code forked it; each keeps its own way to find the companion.
 */
export function ideCompanion(agent: AgentDefinition): AgentProtocol {
  return {
    ...agent,
    async start(host) {
      const { serveIdeCompanion } = await import('./serve.js');
      return serveIdeCompanion(agent, host);
    },
  };
}

/**
 * The workspace's folders as `workspacePath`. A folder that holds the separator would be read as two others, and one
 * that ends with it would leave an empty entry, which matches every folder: it is left out. Without a folder the text is
 * empty, and the CLI asks the user to open one.
 */
export function joinFolders({ editor, machine }: Pick<Served, 'editor' | 'machine'>): string {
  const separator = separatorOf(machine.platform);
  const folders = editor.workspace.folders().filter((path) => path !== '' && !path.includes(separator));
  return folders.join(separator);
}

/** The folders in a `workspacePath`, as the CLI splits it. */
export function splitFolders(text: unknown, platform: Machine['platform']): string[] {
  return typeof text !== 'string' || text === '' ? [] : text.split(separatorOf(platform));
}

function separatorOf(platform: Machine['platform']): string {
  return platform === 'win32' ? ';' : ':';
}
