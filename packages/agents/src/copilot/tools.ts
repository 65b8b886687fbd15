import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Clock,
  type Diagnostics,
  type Editor,
  type EditorContext,
  inTime,
  type Path,
  type SharingPolicy,
} from '@tandem/core';
import { defineTool, type McpTool, type McpToolCall, type McpToolResult, ToolError } from '@tandem/mcp';
import type { AgentDefinition } from '../agentProtocol.js';
import {
  closeDiffArguments,
  diagnosticsArguments,
  encodeSelection,
  fileUrlOf,
  noArguments,
  openDiffArguments,
  sessionNameArguments,
} from './wire.js';

/** How long the editor may take to find problems, in milliseconds. */
const diagnosticsLimitMs = 10_000;

export interface ProposedDiff {
  readonly path: Path;
  readonly content: string;
  readonly tabName: string;
}

export interface ToolServices {
  readonly agent: AgentDefinition;
  readonly editor: Editor;
  readonly policy: SharingPolicy;
  readonly clock: Clock;
  /** What the agent may see of the editor now. */
  readonly sharedContext: () => Promise<EditorContext>;
  openDiff(diff: ProposedDiff, call: McpToolCall): Promise<object>;
  /** Returns whether the diff had ended already. */
  closeDiff(tabName: string): boolean;
  nameSession(name: string): void;
}

/** The tools of one connection. The CLI offers `get_selection` and `get_diagnostics` to its model, and calls the others. */
export function copilotTools(services: ToolServices): McpTool[] {
  const { editor, sharedContext } = services;
  return [
    defineTool({
      name: 'open_diff',
      description: 'Opens a diff of a proposed change and waits until the user accepts or rejects it.',
      input: openDiffArguments,
      async run({ original_file_path: path, new_file_contents: content, tab_name: tabName }, call) {
        if (isAbsolute(path)) return jsonResult(await services.openDiff({ path, content, tabName }, call));
        throw new ToolError(
          `open_diff needs an absolute original_file_path, and "${path}" is a relative one.`,
        );
      },
    }),
    defineTool({
      name: 'close_diff',
      description: 'Closes a diff because the user has decided elsewhere.',
      input: closeDiffArguments,
      run({ tab_name }) {
        const isClosed = services.closeDiff(tab_name);
        const message = isClosed ? 'The diff had ended.' : 'The diff is closed.';
        return jsonResult({ success: true, already_closed: isClosed, tab_name, message });
      },
    }),
    defineTool({
      name: 'get_selection',
      description: 'Gets the active file and the selected text in the editor.',
      input: noArguments,
      async run() {
        const context = await sharedContext();
        if (context.activePath === undefined) return jsonResult(null);
        return jsonResult({ ...encodeSelection(context), current: true });
      },
    }),
    ...(editor.diagnostics === undefined ? [] : [getDiagnostics(services, editor.diagnostics)]),
    defineTool({
      name: 'update_session_name',
      description: 'Reports the name of the session.',
      input: sessionNameArguments,
      run({ name }) {
        services.nameSession(name);
        return jsonResult({ success: true });
      },
    }),
  ];
}

function getDiagnostics({ agent, policy, clock }: ToolServices, diagnostics: Diagnostics): McpTool {
  return defineTool({
    name: 'get_diagnostics',
    description: 'Gets the errors and warnings that the editor shows for a file, or for all files.',
    input: diagnosticsArguments,
    async run({ uri }) {
      const path = uri === undefined ? undefined : pathOf(uri);
      const found = await inTime(clock, diagnosticsLimitMs, diagnostics.get(path)).catch((cause: unknown) => {
        throw new ToolError('The editor did not report its diagnostics in time.', { cause });
      });
      const verdicts = await Promise.all(found.map((file) => policy.verdict(agent.identity, file.path)));
      const shared = found.filter((_file, index) => verdicts[index]?.isShared);
      return jsonResult(
        shared.map((file) => ({
          uri: fileUrlOf(file.path),
          filePath: file.path,
          diagnostics: file.diagnostics,
        })),
      );
    },
  });
}

function pathOf(uri: string): Path {
  try {
    return fileURLToPath(uri);
  } catch (cause) {
    throw new ToolError(`get_diagnostics needs a file:// URI, but received "${uri}".`, { cause });
  }
}

/** One text block of JSON, the only form that the CLI reads. */
function jsonResult(value: unknown): McpToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}
