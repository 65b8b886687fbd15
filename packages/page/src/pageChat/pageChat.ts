import type { Shell } from '../app/shell.js';
import { PanelState } from '../chat/panelState.js';
import { watchChat } from '../chat/watchChat.js';
import { PageChatHost } from './pageChatHost.js';

export interface PageChat {
  readonly host: PageChatHost;
  readonly panel: PanelState;
}

const chats = new WeakMap<Shell, PageChat>();

/** The one chat of a page, made when it is first needed. It lives as long as the page. */
export function pageChat(shell: Shell): PageChat {
  const known = chats.get(shell);
  if (known !== undefined) return known;
  const host = new PageChatHost(shell);
  const panel = new PanelState();
  watchChat(host, panel);
  const chat = { host, panel };
  chats.set(shell, chat);
  return chat;
}
