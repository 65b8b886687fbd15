import { setTimeout as delay } from 'node:timers/promises';
import type { PromptAccess } from '@tandem/agents';
import { findPeerProcess, type ProcessTerminal, terminalOf } from '@tandem/mcp';
import type { Editor } from '@tandem/reviews';
import { findTmuxPane, type TmuxPane } from './tmuxPane.js';

/** Bracketed paste: the CLI inserts the text without submitting it. tmux does not add these sequences in copy mode; VS Code never does. */
const pasted = (text: string): string => `\u001b[200~${text}\u001b[201~`;
/** A longer text could be cut on the way: the longest one that was measured has 12,000 characters. */
const maxLength = 12_000;
/** How many times, and at what interval in milliseconds, the screen is read until it shows the text. */
const looks = 15;
const lookEveryMs = 100;

/** Why a text was not put into the prompt of an agent, in words for the user. */
export class NotInsertedError extends Error {
  override readonly name = 'NotInsertedError';
}

/**
 * Pastes a text into the prompt of the agent that receives notifications on this connection: in tmux, or in a terminal of the
 * editor. Never submits it. Rejects with `NotInsertedError` whenever it is not certain that the prompt takes the text.
 */
export async function pasteIntoTerminal(
  of: {
    readonly prompt: PromptAccess;
    readonly session: string;
    readonly editor: Editor;
    /** Whether the agent's turn is certain to be over, so that a terminal whose screen cannot be read is safe. */
    readonly isOver: boolean;
  },
  text: string,
): Promise<void> {
  const { prompt, session, editor, isOver } = of;
  const { screen } = prompt;
  if (screen === undefined) throw new NotInsertedError('Tandem cannot insert text into its prompt');
  if (text.length > maxLength) throw new NotInsertedError('the feedback is too long to paste');
  const find = async (): Promise<ProcessTerminal> => {
    const connection = prompt.stream?.(session);
    const pid = connection === undefined ? undefined : await findPeerProcess(connection);
    const terminal = pid === undefined ? undefined : terminalOf(pid);
    if (terminal === undefined) throw new NotInsertedError('its terminal was not found on this machine');
    if (!terminal.isForeground)
      throw new NotInsertedError('another program is in the foreground of its terminal');
    return terminal;
  };
  const terminal = await find();
  const pane = await findTmuxPane(terminal.tty, terminal.tmuxSocket);
  if (pane !== undefined) {
    const { screen: shown, title } = await pane.look();
    if (!screen.isReady(shown, title))
      throw new NotInsertedError('its prompt is not empty, or it is busy or shows a question');
    if ((await find()).tty !== terminal.tty) throw new NotInsertedError('its terminal has changed');
    await pane.paste(pasted(text));
    if (await isShown(pane, (seen) => screen.shows(seen, text))) return;
    throw new NotInsertedError('it does not show the text in its prompt');
  }
  if (!isOver) throw new NotInsertedError('it may be busy or show a question');
  if (await editor.terminals?.insert(terminal.pids, pasted(text))) return;
  throw new NotInsertedError('its terminal is neither in tmux nor in this editor');
}

async function isShown(pane: TmuxPane, shows: (screen: string) => boolean): Promise<boolean> {
  for (let look = 0; look < looks; look++) {
    if (shows((await pane.look()).screen)) return true;
    await delay(lookEveryMs);
  }
  return false;
}
