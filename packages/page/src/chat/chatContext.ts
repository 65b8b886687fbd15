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
  if (services === undefined) throw new Error('A part of the chat is used outside of its panel.');
  return services;
}

/** A piece of what the host said last; the component is drawn again when that piece is another one. */
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

export function usePanel<T>(select: (values: PanelState['values']) => T): T {
  return useStore(useChat().panel.store, select);
}
