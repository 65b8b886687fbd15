import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AgentIdentity,
  type Clock,
  type Diagnostics,
  normalPath,
  type Path,
  type SharedContext,
  type SharingPolicy,
} from '@tandem/core';
import { defineTool, jsonResult, type McpTool, type McpToolCall, ToolError } from '@tandem/mcp';
import type { Editor } from '@tandem/reviews';
import { sharedDiagnostics } from '../sharedDiagnostics.js';
import {
  closeDiffArguments,
  diagnosticsArguments,
  encodeSelection,
  fileUrlOf,
  noArguments,
  openDiffArguments,
  type SelectionChanged,
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
  readonly agent: AgentIdentity;
  readonly editor: Editor;
  readonly policy: SharingPolicy;
  readonly clock: Clock;
  readonly context: SharedContext<SelectionChanged>;
}

/** What the tools do to the process that calls them. */
interface ToolActions {
  openDiff(diff: ProposedDiff, call: McpToolCall): Promise<object>;
  /** Returns whether the diff had ended already. */
  closeDiff(tabName: string): boolean;
  nameSession(name: string): void;
}

/** The tools of one connection. The CLI offers `get_selection` and `get_diagnostics` to its model, and calls the others. */
export function copilotTools(services: ToolServices, actions: ToolActions): McpTool[] {
  const { editor, context } = services;
  return [
    defineTool({
      name: 'open_diff',
      description: 'Opens a diff of a proposed change and waits until the user accepts or rejects it.',
      input: openDiffArguments,
      async run({ original_file_path: path, new_file_contents: content, tab_name: tabName }, call) {
        if (isAbsolute(path))
          return jsonResult(await actions.openDiff({ path: normalPath(path), content, tabName }, call));
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
        const isClosed = actions.closeDiff(tab_name);
        const message = isClosed ? 'The diff had ended.' : 'The diff is closed.';
        return jsonResult({ success: true, already_closed: isClosed, tab_name, message });
      },
    }),
    defineTool({
      name: 'get_selection',
      description: 'Gets the active file and the selected text in the editor.',
      input: noArguments,
      async run() {
        const shared = await context.latest();
        if (shared.activePath === undefined) return jsonResult(null);
        return jsonResult({ ...encodeSelection(shared), current: true });
      },
    }),
    ...(editor.diagnostics === undefined ? [] : [getDiagnostics(services, editor.diagnostics)]),
    defineTool({
      name: 'update_session_name',
      description: 'Reports the name of the session.',
      input: sessionNameArguments,
      run({ name }) {
        actions.nameSession(name);
        return jsonResult({ success: true });
      },
    }),
  ];
}

function getDiagnostics(services: ToolServices, diagnostics: Diagnostics): McpTool {
  return defineTool({
    name: 'get_diagnostics',
    description: 'Gets the errors and warnings that the editor shows for a file, or for all files.',
    input: diagnosticsArguments,
    async run({ uri }) {
      const path = uri === undefined ? undefined : pathOf(uri);
      const found = await sharedDiagnostics(services, diagnostics, diagnosticsLimitMs, path);
      return jsonResult(
        found.map((file) => ({
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
