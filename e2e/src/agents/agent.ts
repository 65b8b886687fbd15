import type { AgentId } from '@tandem/companion/agents';
import type { AgentTerminal, Key } from '../agentTerminal.js';
import type { Dialect, Turn } from '../model/turn.js';
import type { Sandbox } from '../sandbox.js';

/** What a launcher needs to know to start one agent CLI. */
export interface LaunchSite {
  readonly sandbox: Sandbox;
  /** The folder the CLI is started in. */
  readonly cwd: string;
  /** Where the scripted model listens. */
  readonly modelUrl: string;
  /** Whether the user has switched the CLI's IDE mode on, in CLIs that have such a switch. */
  readonly isIdeModeOn: boolean;
}

/** One pinned agent CLI: how to start it without an account, how it proposes, how to read its screen. */
export interface Agent {
  /** Unique, for test names: the program and its version. */
  readonly name: string;
  /** What Tandem calls this kind of agent. */
  readonly kind: AgentId;
  readonly dialect: Dialect;
  /** The program, and the script for those that run on Node. */
  readonly executable: readonly [file: string, ...args: string[]];
  /** What keeps it from starting itself a second time, with more memory, where it does so. */
  readonly withoutRelaunch: Readonly<Record<string, string>>;
  /** What makes it look for an editor by itself. */
  readonly connectFlags: readonly string[];
  /** What makes it ask before an edit. */
  readonly approvalFlags: readonly string[];
  /** Writes what the CLI keeps in its home: settings, trust, finished onboarding. */
  prepare(site: LaunchSite): Promise<void>;
  /** What the CLI needs in its environment beside the sandbox's: the scripted model and a key for it. */
  environment(site: LaunchSite): Record<string, string>;
  /** Turns by which the model writes a whole new file. */
  createFile(path: string, content: string): Turn[];
  /** Turns by which the model overwrites a file. Most CLIs require it to read the file first. */
  overwriteFile(path: string, content: string): Turn[];
  /** Turns by which the model replaces a text in a file, read before as well. */
  replaceText(path: string, before: string, after: string): Turn[];
  readonly screen: {
    /** The prompt can be typed into. */
    readonly ready: RegExp;
    /** The CLI asks whether to apply an edit. */
    readonly approval: RegExp;
  };
  /** Waits until the CLI itself shows that this file is, or no longer is, the active one. */
  waitForActiveFile(terminal: AgentTerminal, name: string, isActive: boolean): Promise<void>;
  /** Whether it empties the file if the user emptied the proposal; the others would write the proposal. */
  readonly takesEmpty: boolean;
  /** Keys that accept a proposal in the terminal, once `screen.approval` is shown. */
  readonly acceptKeys: readonly Key[];
  /** Keys that reject one. */
  readonly rejectKeys: readonly Key[];
  /** Whether a tool result reports to the model that the user corrected the proposal to this text. */
  tellsOfEdit(result: string, corrected: string): boolean;
}
