/**
 * The companion of an editor: what agents find and connect to.
 *
 * @module @tandem/companion
 */

import { type Event, type Logger, type Path, silentLogger } from '@tandem/core';
import type { Editor } from '@tandem/reviews';
import type { AgentId } from './agents/agents.js';
import type { CompanionEvent } from './control/companionEvent.js';
import { createCompanion as create } from './createCompanion.js';
import type { WriteConditions } from './files/userFile/writeUserFile.js';
import { Journal } from './journal/journal.js';

export type { AgentId } from './agents/agents.js';
export type { CompanionEvent } from './control/companionEvent.js';
export type { WriteConditions } from './files/userFile/writeUserFile.js';

/** What a companion for your editor needs. */
export interface CompanionOptions {
  /** Your editor, as `runEditorContract` of `@tandem/testing` checks it. */
  readonly editor: Editor;
  /** The version of your plugin. Agents and `tandem status` show it. */
  readonly version: string;
  /** The agents to serve; by default all. */
  readonly agents?: readonly AgentId[];
  /** Replaces the default names of files that agents never see, in the syntax of `.gitignore`. */
  readonly denyList?: readonly string[];
  /** Whether files that `.gitignore` names are hidden, too. */
  readonly respectsGitignore?: boolean;
  /** Whether sharing starts paused, until `resumeSharing`. */
  readonly startsPaused?: boolean;
  /**
   * An absolute folder for the journal, created with mode 0700. Pending reviews in it survive a crash or a restart, with
   * the edits of the user. Without it, they are lost with the process.
   */
  readonly journalFolder?: Path;
  /**
   * Writes a file of the workspace at the user's request, atomically, or removes it if there is no text. Rejects with a
   * message for the user. Without it, `tandem` commands can show reviews that were interrupted, but not write them to
   * their files, and cannot take changes back. Directly before the file is replaced, pass its bytes to `isExpected`, or `undefined` if it
   * does not exist. If that returns false, another program has written it meanwhile: reject, and leave it as it is.
   */
  readonly writeFile?: (
    path: Path,
    text: string | Buffer | undefined,
    conditions: WriteConditions,
  ) => Promise<void>;
  /** Receives every event from the start: an agent may connect before `createCompanion` resolves. */
  readonly onEvent?: (event: CompanionEvent) => void;
  /** Receives log messages; they contain neither tokens nor file contents. */
  readonly logger?: Logger;
}

/** A running companion: what agents find and connect to. */
export interface Companion {
  /** The port on the loopback interface that agents connect to. */
  readonly port: number;
  /** What happens: agents that connect, reviews, pauses. */
  readonly onEvent: Event<CompanionEvent>;
  /**
   * Environment variables with which an agent in a terminal of your editor finds this companion and no other. They hold
   * secrets: give them to your own terminals only.
   */
  environment(): Record<string, string>;
  /**
   * Puts a reference to a file into the prompt of each connected agent that supports it. `lines` are 0-based and inclusive.
   * Resolves to the number of agents that received it. Rejects if it is not a file or is hidden from all of them.
   */
  mention(path: Path, lines?: { readonly first: number; readonly last: number }): Promise<number>;
  /** Shares nothing with any agent until `resumeSharing`. Reviews continue. */
  pauseSharing(): void;
  /** Ends a pause. */
  resumeSharing(): void;
  /** Withdraws pending reviews, removes the discovery files and closes every socket. Never rejects; may be called twice. */
  stop(): Promise<void>;
  /** For exit handlers, which cannot await: removes the files by which agents find the companion. */
  releaseSync(): void;
}

/**
 * Starts a companion for an editor. Resolves when agents can find it. Call `stop` when the editor closes, and `releaseSync`
 * in exit handlers.
 *
 * @throws Error when no port on the loopback interface can be opened
 */
export async function createCompanion({ journalFolder, ...options }: CompanionOptions): Promise<Companion> {
  const { editor, logger = silentLogger } = options;
  const journal =
    journalFolder === undefined
      ? undefined
      : Journal.open({ folder: journalFolder, window: editor.info.name, logger });
  const companion = await create({ ...options, ...(journal && { journal }) });
  return {
    get port() {
      return companion.port;
    },
    onEvent: companion.onEvent,
    environment: () => companion.agents.environment(),
    mention: (path, lines) => companion.agents.mention(path, lines),
    pauseSharing: () => companion.policy.pause(),
    resumeSharing: () => companion.policy.resume(),
    stop: () => companion.stop(),
    releaseSync: () => companion.releaseSync(),
  };
}
