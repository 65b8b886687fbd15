import * as vscode from 'vscode';
import { settingsSection } from '../settings.js';

/** When a permission or a question of the chat is asked by a quick pick without being called for. */
type PicksShown = 'whenChatHasFocus' | 'always' | 'never';

/** The person's settings of the chat, as the manifest declares them. */
interface ChatSettings {
  /** The address of the daemon to connect to. Absent when none is set. */
  readonly url?: string;
  /** The program of a daemon, and what comes before `serve`. */
  readonly command: readonly string[];
  readonly picksShown: PicksShown;
}

/** Reads the settings as they are now. What a hand-written file has of the wrong kind counts as not set. */
export function readChatSettings(): ChatSettings {
  const settings = vscode.workspace.getConfiguration(settingsSection);
  const url = settings.get('daemon.url');
  const command: unknown = settings.get('daemon.command');
  const words = Array.isArray(command) ? command.filter((word) => typeof word === 'string') : [];
  const shown = settings.get('chat.quickPicks');
  return {
    ...(typeof url === 'string' && url.trim() !== '' && { url: url.trim() }),
    command: words.length > 0 ? words : ['qwen'],
    picksShown: shown === 'always' || shown === 'never' ? shown : 'whenChatHasFocus',
  };
}
