import type { AgentWriting } from '@tandem/reviews';

/**
 * The static facts about an agent: plain data, in its folder. Commands, settings, the page's colours, the README's
 * tables and VS Code's manifest derive from it or are checked against it.
 */
export interface AgentDescriptor {
  /** Short lower-case identifier: its folder here, its key in settings and styles. */
  readonly id: string;
  /** The display name, such as `Gemini CLI`. */
  readonly displayName: string;
  /** The name of its program on the PATH. */
  readonly program: string;
  /** The command that installs it. */
  readonly install: string;
  /** The versions that our tests run, newest first. */
  readonly testedVersions: readonly string[];
  /** Flags with which it asks before it edits. */
  readonly askingFlags: readonly string[];
  /**
   * For a CLI that approves its own edits unless `askingFlags` are added. `unless`: arguments with which the user
   * already chose a mode.
   */
  readonly approvesEdits?: { readonly unless: readonly RegExp[] };
  /** What the user types in the running CLI if it did not connect by itself. Absent if it always tries by itself. */
  readonly connect?: string;
  /** Whether the CLI remembers `connect`. */
  readonly remembersConnect: boolean;
  /** Whether it reads the workspace's folders as one text, split at the path separator. */
  readonly splitsFolders: boolean;
  /** Its colour in the page, as CSS colours. */
  readonly color: { readonly light: string; readonly dark: string };
  /** The shape of its mark in the page. */
  readonly mark: 'circle' | 'diamond' | 'square';
  /** The VS Code extension of its vendor, which is also a companion. */
  readonly officialExtension?: string;
  /**
   * The id of the agent whose discovery files and endpoint it uses. It then has none of its own, and connects only while
   * that agent is served.
   */
  readonly connectsThrough?: string;
  /** It has no interface for editors. Only `tandem run` connects it, by its hooks. */
  readonly isHookedOnly?: boolean;
  /** It has no lasting connection, but asks for the context before each prompt. Views then show when it asked last. */
  readonly polls?: boolean;
  /** How it writes an accepted text. Absent: as it is. */
  readonly writing?: AgentWriting;
  /** Files in which it keeps tokens, as paths below the home folder. The default deny list holds them back. */
  readonly secretFiles: readonly string[];
  /**
   * Files from which it takes commands to run or permissions, in the syntax of the deny list. Accepting a change to one asks.
   */
  readonly trustedFiles: readonly string[];
  /** A cell of the README's table for each capability. */
  readonly supports: Readonly<Record<Capability, string>>;
}

/** The capabilities of agents, in the words and the order of the README. */
export const capabilities = {
  discovery: 'finds the companion',
  openFiles: 'sees open files',
  selection: 'sees cursor and selection',
  review: 'accept, reject, edit a proposal',
  acceptInTerminal: 'keeps your edits if you accept in its terminal',
  emptyFile: 'you can empty the file',
  mention: '`tandem mention`',
  together: 'several at once, also on one file',
} as const;

/** What an agent receives that proposes no changes for review; undefined for all others. */
export function receivesOnly({ supports }: AgentDescriptor): string | undefined {
  if (supports.review !== 'no') return undefined;
  return supports.mention === 'yes' ? 'context and mentions only, no reviews' : 'context only, no reviews';
}

type Capability = keyof typeof capabilities;

/** The command line that starts it by hand in a mode in which it asks before it edits, or else with hooks. */
export function startWords(descriptor: AgentDescriptor): readonly string[] {
  const { id, program, askingFlags, approvesEdits, isHookedOnly } = descriptor;
  if (isHookedOnly) return ['tandem', 'run', id];
  return approvesEdits === undefined ? [program] : [program, ...askingFlags];
}
