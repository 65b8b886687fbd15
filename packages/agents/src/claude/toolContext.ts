import { posix, win32 } from 'node:path';
import {
  type AgentIdentity,
  type Clock,
  type EditorContext,
  normalPath,
  type Path,
  type SharedContext,
  type SharingPolicy,
} from '@tandem/core';
import { type McpSession, ToolError } from '@tandem/mcp';
import type { Editor, Review, Reviews } from '@tandem/reviews';
import type { HostFiles } from '../agentProtocol.js';
import type { SelectionChanged } from '../claudeIde/messages.js';
import { fromWirePath } from './paths.js';

/** The services of the tools of one session. */
export interface ToolContext {
  readonly session: McpSession;
  readonly agent: AgentIdentity;
  readonly editor: Editor;
  readonly reviews: Reviews;
  readonly policy: SharingPolicy;
  readonly files: HostFiles;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  /** The diffs whose `openDiff` calls are pending, including those that are not shown yet. */
  readonly openDiffs: Set<{ readonly tabName: string; readonly path: Path }>;
  /** The agent closes the tab of a diff, with this title. */
  readonly noteTabClosed: (session: string, title: string | undefined) => void;
  /** Resolves when the agent may receive the rejection of a review as the answer to `openDiff`. */
  readonly whenHookIsDone: (review: Review) => Promise<void>;
  /** What this agent may see of the editor; the active file only, except in `all`. */
  readonly shared: SharedContext<SelectionChanged>;
  /** The context at the last selection. Its file may no longer be shared. */
  readonly latestSelection: () => EditorContext | undefined;
}

/** The native path of a tool's argument. Throws `ToolError` if it is not absolute. */
export function absolutePath(context: ToolContext, tool: string, argument: string, value: string): Path {
  const path = nativePath(value, context.platform);
  if (path !== undefined) return path;
  throw new ToolError(`${tool} needs an absolute ${argument}, and "${value}" is a relative one.`);
}

/** The native path of an absolute path on the wire; `undefined` for a relative one. */
export function nativePath(value: string, platform: NodeJS.Platform): Path | undefined {
  const path = fromWirePath(value, platform);
  const isFull = platform === 'win32' ? win32.isAbsolute(path) : posix.isAbsolute(path);
  return isFull ? normalPath(path) : undefined;
}

/** Whether the policy shares a file with this agent. */
export async function isShared(context: ToolContext, path: Path): Promise<boolean> {
  return (await context.policy.verdict(context.agent, path)).isShared;
}

/** Like `absolutePath`; also rejects with `ToolError` if the policy holds the file back. */
export async function sharedPath(
  context: ToolContext,
  tool: string,
  argument: string,
  value: string,
): Promise<Path> {
  const path = absolutePath(context, tool, argument, value);
  if (await isShared(context, path)) return path;
  // Not the verdict's reason, which may contain the name of a hidden file.
  const { isPaused } = context.policy;
  throw new ToolError(isPaused ? 'The user has paused sharing.' : 'The editor does not share this file.');
}
