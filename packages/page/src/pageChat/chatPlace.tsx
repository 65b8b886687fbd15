import { MessageSquare, X } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import styles from '../app/frame.module.css';
import { focusRegion, region } from '../app/pageFocus.js';
import { PanelSeparator } from '../app/panelSeparator.js';
import { useShell } from '../app/shellContext.js';
import { ChatContext, useModel } from '../chat/chatContext.js';
import { Announcer, ChatPanel } from '../chat/chatPanel.js';
import { RequestCards } from '../chat/requestCards.js';
import { chatWidths, layoutPreferences } from '../client/preferences.js';
import { Button, IconButton, joinClasses } from '../primitives/index.js';
import { type PageChat, pageChat } from './pageChat.js';

interface ChatPlaceProps {
  readonly isShown: boolean;
  readonly isNarrow: boolean;
}

/** The chat at the right of the page, or in all of a narrow one. While it is closed, its requests are shown in a corner. */
export function ChatPlace({ isShown, isNarrow }: ChatPlaceProps) {
  const shell = useShell();
  const { host, panel } = pageChat(shell);
  const width = useStore(layoutPreferences, (layout) => layout.chatWidth);
  const request = useStore(shell.state, (state) => state.chatFocus);
  const handled = useRef(0);
  useEffect(() => {
    if (request === undefined || request.serial === handled.current) return;
    handled.current = request.serial;
    if (request.place === 'composer') enter(() => panel.focusComposer());
    else document.querySelector<HTMLElement>('[data-region="chat"] [data-first="true"]')?.focus();
  }, [request, panel]);
  if (!isShown) return <RequestCorner host={host} panel={panel} />;
  const Place = isNarrow ? 'main' : 'aside';
  return (
    <Place
      className={joinClasses(styles.side, styles.chat)}
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

/** Focuses the composer, or the first button of the setup view. */
function enter(focusField: () => void): void {
  focusField();
  requestAnimationFrame(() => {
    const place = document.querySelector<HTMLElement>('[data-region="chat"]');
    if (place === null || place.contains(document.activeElement)) return;
    const first =
      place.querySelector<HTMLElement>('textarea') ?? place.querySelector<HTMLElement>('[data-setup] button');
    (first ?? place).focus();
  });
}

/** The requests of a closed chat, in a corner. It does not take the focus. */
function RequestCorner({ host, panel }: PageChat) {
  const services = useMemo(() => ({ host, panel }), [host, panel]);
  return (
    <ChatContext value={services}>
      <Corner panel={panel} />
      <Announcer />
    </ChatContext>
  );
}

function Corner({ panel }: Pick<PageChat, 'panel'>) {
  const shell = useShell();
  const pendingCount = useModel(({ pending }) => pending.length);
  const elsewhere = useStore(panel.store, (values) => values.elsewhere.length);
  if (pendingCount + elsewhere === 0) return null;
  return (
    <aside
      className={joinClasses('stack', styles.corner, styles.requests)}
      aria-label="The chat asks"
      {...region('chat')}
    >
      <RequestCards onDone={() => focusRegion(1)} />
      {pendingCount > 0 && (
        <p className="line muted small">
          <span className="grow">Press Alt+Q to go to the question</span>
          <Button icon={MessageSquare} onClick={() => shell.showChat()}>
            Open the chat
          </Button>
        </p>
      )}
    </aside>
  );
}
