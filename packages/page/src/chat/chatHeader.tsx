import { visibleName } from '@tandem/core';
import { Download, History, MessageSquarePlus, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../primitives/button.js';
import { useChat, useChatState, useModel } from './chatContext.js';
import styles from './chatPanel.module.css';
import { chatTitle } from './chatWords.js';
import { exportMarkdown, exportName } from './exportMarkdown.js';

const stateWords = {
  connected: 'Connected',
  connecting: 'Connecting',
  reconnecting: 'Reconnecting',
  disconnected: 'Not connected',
} as const;

/** What this chat is about, and what can be done with it as a whole. */
export function ChatHeader({ children }: { readonly children?: ReactNode }) {
  const { host, panel } = useChat();
  const title = useModel(chatTitle);
  const state = useModel((model) => model.connection.state);
  const hasItems = useModel((model) => model.items.length > 0);
  const url = useChatState(({ setup }) => setup.url);
  const isConnected = state === 'connected';
  const start = async (): Promise<void> => {
    if (await panel.attempt('No new chat was started', () => host.newChat())) panel.focusComposer();
  };
  return (
    <header className={styles.header}>
      <span
        className={styles.dot}
        data-state={state}
        title={url && `${stateWords[state]}: ${url}`}
        aria-hidden="true"
      />
      <h2 className={styles.title} title={visibleName(title)}>
        {visibleName(title)}
        <span className="visually-hidden">, {stateWords[state]}</span>
      </h2>
      {isConnected && (
        <>
          <IconButton icon={MessageSquarePlus} label="New chat" onClick={() => void start()} />
          <IconButton
            icon={History}
            label="Chats in this folder"
            onClick={() => panel.set({ view: 'sessions' })}
          />
        </>
      )}
      {hasItems && (
        <IconButton
          icon={Download}
          label="Save the chat as markdown"
          onClick={() => {
            const { model } = host.state;
            void panel.attempt('The chat was not saved', () =>
              host.saveText(exportName(model), exportMarkdown(model)),
            );
          }}
        />
      )}
      {url !== undefined && (
        <IconButton
          icon={Unplug}
          label="Disconnect from the daemon"
          onClick={() => void panel.attempt('The chat is still connected', () => host.disconnect())}
        />
      )}
      {children}
    </header>
  );
}
