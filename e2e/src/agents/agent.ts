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

/** One pinned agent CLI that receives the context: how to start it without an account, how to read its screen. */
export interface ContextAgent {
  /** Unique, for test names: the program and its version. */
  readonly name: string;
  /** Tandem's id of this kind of agent. */
  readonly kind: AgentId;
  readonly dialect: Dialect;
  /** The program, and the script for those that run on Node. */
  readonly executable: readonly [file: string, ...args: string[]];
  /** The variables that keep it from relaunching itself with more memory, if it does so. */
  readonly withoutRelaunch: Readonly<Record<string, string>>;
  /** The flags that make it look for an editor by itself. */
  readonly connectFlags: readonly string[];
  /** What the user types in it to connect, in CLIs that do not connect by themselves. */
  readonly connectCommand?: string;
  /** The flags that make it ask before an edit. */
  readonly approvalFlags: readonly string[];
  /** Writes what the CLI keeps in its home: settings, trust, finished onboarding. */
  prepare(site: LaunchSite): Promise<void>;
  /** The CLI's variables in addition to the sandbox's: the scripted model and a key for it. */
  environment(site: LaunchSite): Record<string, string>;
  readonly screen: {
    /** The prompt accepts input. */
    readonly ready: RegExp;
  };
  /** Waits until the CLI itself shows that this file is active, or no longer active. */
  waitForActiveFile(terminal: AgentTerminal, name: string, isActive: boolean): Promise<void>;
}

/** One whose edits are held by its hooks. */
export interface HookedAgent extends ContextAgent {
  /** Turns in which the model writes a new file. */
  createFile(path: string, content: string): Turn[];
  /** Turns in which the model replaces a text in a file, after reading it. */
  replaceText(path: string, before: string, after: string): Turn[];
}

/** One that proposes changes for review by its IDE protocol. */
export interface Agent extends HookedAgent {
  /** Turns in which the model overwrites a file. Most CLIs require it to read the file first. */
  overwriteFile(path: string, content: string): Turn[];
  readonly screen: ContextAgent['screen'] & {
    /** The CLI asks whether to apply an edit. */
    readonly approval: RegExp;
  };
  /** Whether it empties the file if the user emptied the proposal; the others would write the proposal. */
  readonly takesEmpty: boolean;
  /** Keys that accept a proposal in the terminal, once `screen.approval` is shown. */
  readonly acceptKeys: readonly Key[];
  /** Keys that reject one. */
  readonly rejectKeys: readonly Key[];
  /** Whether a tool result reports to the model that the user corrected the proposal to this text. */
  reportsEdit(result: string, corrected: string): boolean;
}
