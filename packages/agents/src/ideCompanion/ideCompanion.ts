import type { AgentDefinition, AgentProtocol, Served } from '../agentProtocol.js';
import type { Machine } from '../machine.js';

/**
 * An agent that speaks the IDE companion protocol: MCP over HTTP, two tools, three notifications. See PROTOCOL.md.
 * Gemini CLI introduced it and Qwen Code forked it; each finds the companion in its own way.
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
 * The workspace's folders as `workspacePath`. Omits folders that contain the separator: the CLI would split such a
 * folder in two, and an empty part matches every folder. Without a folder the text is empty, and the CLI asks the user
 * to open one.
 */
export function joinFolders({ editor, machine }: Pick<Served, 'editor' | 'machine'>): string {
  const separator = separatorOf(machine.platform);
  const folders = editor.workspace.folders().filter((path) => path !== '' && !path.includes(separator));
  return folders.join(separator);
}

/** Splits a `workspacePath` into folders, as the CLI does. */
export function splitFolders(text: unknown, platform: Machine['platform']): string[] {
  return typeof text !== 'string' || text === '' ? [] : text.split(separatorOf(platform));
}

function separatorOf(platform: Machine['platform']): string {
  return platform === 'win32' ? ';' : ':';
}
