import type { Machine } from '@tandem/agents';
import type { Clock, Logger, Path } from '@tandem/core';
import type { Editor } from '@tandem/reviews';
import type { AgentId } from './agents/agents.js';
import type { CompanionEvent } from './control/companionEvent.js';
import type { HostPage } from './control/hostPage.js';
import { thisMachine } from './control/thisMachine.js';
import type { WriteFile } from './files/workspaceWriter.js';
import type { Journal } from './journal/journal.js';
import type { JournalContents } from './journal/journalContents.js';
import type { HistoryLimits } from './reviews/history.js';

export interface CompanionOptions {
  readonly editor: Editor;
  /** State of the previous companion. Its port, tokens and sessions are taken over if the port is free. */
  readonly before?: JournalContents;
  /**
   * Holds what the previous companion left, and records what this one would leave, so that a crash loses nothing. The
   * companion closes it.
   */
  readonly journal?: Journal;
  /**
   * Writes a file of the workspace at the user's request, atomically, or removes it if there is no text. Rejects with a
   * message for the user. Without it, interrupted reviews cannot be applied, and changes cannot be undone.
   */
  readonly writeFile?: WriteFile;
  /** The version of Tandem that agents and users see. */
  readonly version: string;
  /** The agents to serve; by default all. */
  readonly agents?: readonly AgentId[];
  /** Replaces the default deny list of the sharing policy. */
  readonly denyList?: readonly string[];
  /** Whether files that `.gitignore` names are hidden too. */
  readonly respectsGitignore?: boolean;
  /** How long decided reviews and their texts are kept, and how many; by default 7 days and 1,000 reviews. */
  readonly history?: Partial<HistoryLimits>;
  /**
   * Sees what agents write without a review, by commands too, and keeps copies of the files of the workspace for it. `workerFile`:
   * the host's bundle of `@tandem/changes/worker`. Without it, only what hooks name is recorded.
   */
  readonly changes?: { readonly workerFile: Path } | undefined;
  /** Whether sharing starts paused, until `policy.resume`. */
  readonly startsPaused?: boolean;
  /** Receives every event from the start: an agent may connect before `createCompanion` resolves. */
  readonly onEvent?: (event: CompanionEvent) => void;
  /** Receives every message as redacted JSONL, in addition to the buffer that `tandem trace` reads. */
  readonly onTrace?: (line: string) => void;
  /** Whether the recorder keeps file contents. Never tokens. */
  readonly tracesContents?: boolean;
  /** Called when a client of the control interface requests a stop. The host then stops the companion and itself. */
  readonly onStopRequested?: () => void;
  /** The host's page, reported to clients that request its address. While it is open, the companion is needed. */
  readonly page?: HostPage;
  /** How the user runs the `tandem` command. Without it, it is looked for on the PATH when a text names it. */
  readonly command?: string;
  readonly machine?: Machine;
  /**
   * The folder of Claude Code's settings, in which it finds the companion. Takes precedence over `CLAUDE_CONFIG_DIR`.
   */
  readonly claudeConfigDir?: Path;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** The machine, with the user's options taking precedence over its environment. */
export function machineOf({
  machine = thisMachine(),
  claudeConfigDir,
}: Pick<CompanionOptions, 'machine' | 'claudeConfigDir'>): Machine {
  if (claudeConfigDir === undefined) return machine;
  return { ...machine, env: { ...machine.env, CLAUDE_CONFIG_DIR: claudeConfigDir } };
}
