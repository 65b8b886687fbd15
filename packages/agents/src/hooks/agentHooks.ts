import type { Path } from '@tandem/core';
import type { HookMode } from '@tandem/reviews';
import type { Machine } from '../machine.js';
import type { FileEdit } from './fileEdit.js';
import type { HookEntries } from './hookSettings.js';

/**
 * The hooks of an agent's CLI: programs that it runs around each tool call, and that may deny the call or change its input.
 * Pure functions on their JSON. See `PROTOCOL.md` of each agent.
 */
export interface AgentHooks {
  /** The file of ours that it runs in its own process. Absent: `hook.mjs`, which it starts around each call. */
  readonly plugin?: PluginFile;
  /** Whether the CLI runs the hooks of all parallel calls before the first of these calls. */
  readonly runBeforeAllCalls?: boolean;
  /** Words that its CLI takes for a command only if they are its first argument. They run no agent, so our arguments are not added. */
  readonly firstWords?: readonly string[];
  /** How its CLI gets our hooks for one process, without a change to the user's files. */
  inject(at: HookSite): Injection;
  /** What is added for good to `AgentDefinition.hookFile`, settings of the user. Absent if that file is ours alone. */
  entries?(commands: HookCommands): HookEntries;
  /** The whole of `AgentDefinition.hookFile`, if that is ours alone. */
  ownFile?(at: InstalledSite): string;
  /** What the user has to do before the CLI runs hooks that were added for good. */
  readonly afterInstall?: string;
  /** What a hook was started for; undefined if Tandem has nothing to do with it. */
  read(input: unknown, platform: NodeJS.Platform): HookEvent | undefined;
  /** How a waiting edit is reviewed, where the mode asks for a review. */
  review(event: EditEvent, agent: HookedAgent): 'by-hook' | 'by-its-question' | 'as-without-hook';
  /** Makes the CLI ask its own question, whatever its mode. Present if `review` returns `by-its-question`. */
  ask?(event: EditEvent, reason: string): object;
  /**
   * Lets the call through. `files`: what is to be written in place of what the call would write; empty if the user changed
   * nothing. `note`: what the model should know. Undefined if the CLI cannot be made to write that; without files, if the
   * hook lets a call through by printing nothing.
   */
  allow(event: EditEvent, files: readonly DecidedFile[], note: string | undefined): object | undefined;
  /** Refuses the call. The model receives `reason`, and the turn continues. */
  deny(event: EditEvent, reason: string): object;
  /** Adds a text to the user's prompt, for the model. */
  inform?(text: string): object;
  /** Makes the agent continue the turn that it was about to end. Present if `read` returns a `turn-pause`. */
  resume?(text: string): object;
  /** Answers a `QuestionEvent` with a rejection. Present if `read` returns one. */
  denyQuestion?(reason: string): object;
}

/** The process that runs the hook. */
interface HookedAgent {
  /** Whether its edits also reach this companion through its IDE protocol when it asks. */
  readonly isConnected: boolean;
  /** Whether a user sees its questions. */
  readonly isInteractive: boolean;
}

type HookEvent = EditEvent | WrittenEvent | CommandEvent | QuestionEvent | TurnEvent;

interface EventOf {
  /** The agent's own id of its session. */
  readonly session: string;
}

/** A tool is about to change files. */
export interface EditEvent extends EventOf {
  readonly kind: 'edit';
  /** `asks`: the agent asks the user before it does this. Undefined if the hook does not report it. */
  readonly agentMode?: 'asks' | 'writes' | undefined;
  /** The agent's id of the call, if the hooks report one. */
  readonly call?: string | undefined;
  readonly tool: string;
  /** The tool's arguments as they are. */
  readonly input: unknown;
  /** For each file what the call would do. */
  readonly edits: readonly FileEdit[];
  /** Why the call cannot be shown for review, for the model. There are no edits then. */
  readonly refusal?: string | undefined;
  /** Its question about this call does not come with its IDE protocol. */
  readonly hasNoDiff?: boolean;
  /** The agent now asks about this call, whose own hook has run already. */
  readonly isQuestion?: boolean;
  /**
   * What a call and the question about it have in common, if the question does not report all that its edits depend on. The edits are
   * then those of the call.
   */
  readonly subject?: string | undefined;
  /** The edits are not its arguments, but what the agent tells the user about them. */
  readonly isDescription?: boolean;
}

/** A tool has changed files: the end of the call of an `EditEvent` with the same `call`, or else the same tool and paths. */
export interface WrittenEvent extends Omit<EditEvent, 'kind'> {
  readonly kind: 'written';
}

/** A tool that may write any file is about to run, or has ended. It waits for no decision: the agent's own rules decide. */
export interface CommandEvent extends EventOf {
  readonly kind: 'command';
  readonly hasEnded: boolean;
  /** The agent's id of the call, if the hooks report one. */
  readonly call?: string | undefined;
  /** As the model wrote it. */
  readonly command: string;
}

/** The agent asks the user about a change that its IDE protocol also shows. */
interface QuestionEvent extends EventOf {
  readonly kind: 'question';
}

/**
 * The session begins, the user sends a prompt, or a turn or the session ends. What waits in the session is over with its turn.
 * `turn-pause`: the model ends its turn, perhaps without the result of an edit that waits, and can be made to continue.
 * `turn-rest`: it ends its turn, but what runs in the background continues, and may wait.
 */
export interface TurnEvent extends EventOf {
  readonly kind: 'session-start' | 'prompt' | 'turn-pause' | 'turn-rest' | 'turn-end' | 'session-end';
  /** What the user wrote, if the hook reports it. */
  readonly prompt?: string | undefined;
  /** Whether it is a prompt of the agent itself, which goes on with the work of the user's last one. */
  readonly isContinued?: boolean | undefined;
  /** Whether a prompt shows that the turn before it has ended. */
  readonly isTurnOver?: boolean;
}

/** A file of an accepted call. */
export interface DecidedFile {
  readonly path: Path;
  /** The file is to be deleted, and `accepted` is empty. */
  readonly isRemoved: boolean;
  /** The file's text now, with LF and without a byte order mark; undefined if there is no file. */
  readonly present: string | undefined;
  /** The text to write, likewise. */
  readonly accepted: string;
  /** The same with their line ends and byte order mark. */
  readonly presentExactly: string | undefined;
  readonly acceptedExactly: string;
}

/** A plugin beside `hook.mjs`. */
type PluginFile = `${string}Plugin.mjs`;

/** Where the hook's files are, and what an entry starts. */
interface HookSite {
  /** A private folder of ours that never changes. The files of `Injection` are in it. */
  readonly folder: Path;
  readonly commands: HookCommands;
  /** Our program, or the plugin. */
  readonly program: Path;
  /** The variables with which the CLI would start. */
  readonly env: Machine['env'];
}

/** What starts our program: commands for a POSIX shell. They never fail, and do nothing once our files are removed. */
export interface HookCommands {
  /** Around a call of a tool. Where each edit is reviewed, it denies the call if the program cannot be run. */
  readonly call: string;
  /** The same, for commands, of which only those with a patch are denied. */
  readonly patch: string;
  /** For all other events. */
  readonly event: string;
}

/** What hooks that are added for good do, and where. */
interface InstalledSite {
  readonly commands: HookCommands;
  /** Our program, or the plugin. */
  readonly program: Path;
  readonly mode: HookMode;
  /** The real folders in which they apply; empty if in each. */
  readonly folders: readonly Path[];
}

/** What starts a CLI with our hooks. */
export interface Injection {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** For a CLI that reads a file of default settings, what is added to these. */
  readonly settings?: { readonly hooks: HookEntries };
  /** By their paths below `HookSite.folder`. Contain no secret. */
  readonly files: Readonly<Record<string, string>>;
}

/** How long a hook may wait, in seconds: the user may take hours. */
export const holdSeconds = 24 * 60 * 60;
/** Likewise, in milliseconds. */
export const holdMs = holdSeconds * 1000;
