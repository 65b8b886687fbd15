import type { ChatModel } from '@tandem/chat/model';
import { createContext, useContext, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import type { ChatHost, ChatState } from './chatHost.js';
import type { PanelState } from './panelState.js';

interface ChatServices {
  readonly host: ChatHost;
  readonly panel: PanelState;
}

export const ChatContext = createContext<ChatServices | undefined>(undefined);

export function useChat(): ChatServices {
  const services = useContext(ChatContext);
  if (services === undefined) throw new Error('A component of the chat is used outside its panel.');
  return services;
}

/** A part of the host's state. The component renders again when that part changes. */
export function useChatState<T>(select: (state: ChatState) => T): T {
  const { host } = useChat();
  return useSyncExternalStore(
    (onChange) => host.onDidChange(onChange),
    () => select(host.state),
  );
}

export function useModel<T>(select: (model: ChatModel) => T): T {
  return useChatState(({ model }) => select(model));
}

/** The texts of messages that are being sent and do not appear in the conversation yet. */
export function useSending(): readonly string[] {
  const sending = usePanel((values) => values.sending);
  const items = useModel((model) => model.items);
  return sending
    .filter((each) => !items.slice(each.items).some(({ kind }) => kind === 'user'))
    .map(({ text }) => text);
}

export function usePanel<T>(select: (values: PanelState['values']) => T): T {
  return useStore(useChat().panel.store, select);
}
