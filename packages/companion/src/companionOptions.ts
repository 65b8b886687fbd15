import type { Machine } from '@tandem/agents';
import type { Clock, Editor, Logger, Path } from '@tandem/core';
import type { AgentId } from './agents.js';
import type { CompanionEvent } from './control/companionEvent.js';
import type { HostPage } from './hostPage.js';
import type { Journal } from './journal/journal.js';
import type { JournalContents } from './journal/journalContents.js';

export interface CompanionOptions {
  readonly editor: Editor;
  /** The companion that this one follows: its port, tokens and sessions are taken over where its port is free. */
  readonly before?: JournalContents;
  /**
   * Where this companion finds what one before it has left, and writes down what it would leave itself, so that a crash
   * loses nothing. The companion closes it.
   */
  readonly journal?: Journal;
  /**
   * Writes a file of the workspace because a person asked for it, whole or not at all. Rejects with a message for that
   * person. Without it interrupted reviews can be read but not applied.
   */
  readonly writeFile?: (path: Path, text: string) => Promise<void>;
  /** The version of Tandem that agents and people are told. */
  readonly version: string;
  /** Which agents are served; all when left out. */
  readonly agents?: readonly AgentId[];
  /** Replaces the default deny list of the sharing policy. */
  readonly denyList?: readonly string[];
  /** Whether what `.gitignore` names is held back too. */
  readonly respectsGitignore?: boolean;
  /** Whether nothing is shared before `policy.resume`. */
  readonly startsPaused?: boolean;
  /**
   * Set by a host that shows a review no more when its agent has taken it back or has replaced it: what a person had made of
   * it is then kept with the interrupted ones.
   */
  readonly keepsWithdrawnEdits?: boolean;
  /** Hears what happens from the very first on: an agent may connect before `createCompanion` resolves. */
  readonly onEvent?: (event: CompanionEvent) => void;
  /** Hears every message as redacted JSONL, besides the buffer that `tandem trace` reads. */
  readonly onTrace?: (line: string) => void;
  /** Whether the recorder keeps file contents. Never tokens. */
  readonly tracesContents?: boolean;
  /** Called when somebody asks by the control interface that the companion ends. The host then stops it and itself. */
  readonly onStopRequested?: () => void;
  /** Told to those who ask where the page is; one that is open counts as somebody who needs the companion. */
  readonly page?: HostPage;
  readonly machine?: Machine;
  /** The folder of Claude Code's settings, in which it finds the companion. Goes before `CLAUDE_CONFIG_DIR`. */
  readonly claudeConfigDir?: Path;
  readonly clock?: Clock;
  readonly logger?: Logger;
}
