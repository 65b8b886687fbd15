import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { chatWidths, layoutPreferences } from '../app/layoutPreferences.js';
import { region } from '../app/pageFocus.js';
import { PanelSeparator } from '../app/panelSeparator.js';
import { useShell } from '../app/shellContext.js';
import { ChatPanel } from '../chat/chatPanel.js';
import { IconButton } from '../primitives/button.js';
import styles from './chatPlace.module.css';
import { pageChat } from './pageChat.js';
import { RequestCorner } from './requestCorner.js';

interface ChatPlaceProps {
  readonly isShown: boolean;
  readonly isNarrow: boolean;
}

/** The chat at the right of the page, or in all of a narrow one. While it is closed, what it asks stands in a corner. */
export function ChatPlace({ isShown, isNarrow }: ChatPlaceProps) {
  const shell = useShell();
  const { host, panel } = pageChat(shell);
  const width = useStore(layoutPreferences, (layout) => layout.chatWidth);
  const wish = useStore(shell.state, (state) => state.chatWish);
  const granted = useRef(0);
  useEffect(() => {
    if (wish === undefined || wish.serial === granted.current) return;
    granted.current = wish.serial;
    if (wish.place === 'composer') goInto(() => panel.focusComposer());
    else document.querySelector<HTMLElement>('[data-region="chat"] [data-first="true"]')?.focus();
  }, [wish, panel]);
  if (!isShown) return <RequestCorner host={host} panel={panel} />;
  // What a narrow page shows is the main thing on it.
  const Place = isNarrow ? 'main' : 'aside';
  return (
    <Place
      className={styles.place}
      style={isNarrow ? undefined : { width }}
      aria-label="Chat"
      {...region('chat')}
    >
      {!isNarrow && (
        <PanelSeparator
          label="Width of the chat"
          edge="left"
          width={width}
          {...chatWidths}
          onWidth={(chatWidth) => layoutPreferences.setState({ chatWidth })}
        />
      )}
      <ChatPanel host={host} panel={panel}>
        {!isNarrow && <IconButton icon={X} label="Close the chat" onClick={() => shell.hideChat()} />}
      </ChatPanel>
    </Place>
  );
}

/** Into the field, or where there is none to the first thing that can be done. */
function goInto(focusField: () => void): void {
  focusField();
  requestAnimationFrame(() => {
    const place = document.querySelector<HTMLElement>('[data-region="chat"]');
    if (place === null || place.contains(document.activeElement)) return;
    const first =
      place.querySelector<HTMLElement>('textarea') ?? place.querySelector<HTMLElement>('[data-setup] button');
    (first ?? place).focus();
  });
}
