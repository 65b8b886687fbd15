import { MessageSquare } from 'lucide-react';
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { focusRegion, region } from '../app/pageFocus.js';
import { useShell } from '../app/shellContext.js';
import { Announcer } from '../chat/announcer.js';
import { ChatContext, useModel } from '../chat/chatContext.js';
import { RequestCards } from '../chat/requestCards.js';
import { Button } from '../primitives/button.js';
import styles from './chatPlace.module.css';
import type { PageChat } from './pageChat.js';

/** What the chat asks while it is closed: a card in a corner that takes neither the focus nor the page. */
export function RequestCorner({ host, panel }: PageChat) {
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
  const waiting = useModel(({ pending }) => pending.length);
  const elsewhere = useStore(panel.store, (values) => values.elsewhere.length);
  if (waiting + elsewhere === 0) return null;
  return (
    <aside className={styles.corner} aria-label="The chat asks" {...region('chat')}>
      <RequestCards onDone={() => focusRegion(1)} />
      {waiting > 0 && (
        <p className={styles.cornerFoot}>
          <span>Alt+Q moves here</span>
          <Button onClick={() => shell.showChat()}>
            <MessageSquare size={14} aria-hidden="true" />
            Open the chat
          </Button>
        </p>
      )}
    </aside>
  );
}
