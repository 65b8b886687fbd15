import { visibleName } from '@tandem/core';
import { Bot, Keyboard, MessageSquare, PanelLeft, Search } from 'lucide-react';
import { useStore } from 'zustand';
import { usePageState } from '../client/pageContext.js';
import { IconButton } from '../primitives/button.js';
import { keyText } from '../primitives/keys.js';
import { layoutPreferences, toggleSide, useIsNarrow } from './layoutPreferences.js';
import { region } from './pageFocus.js';
import { useShell } from './shellContext.js';
import { TandemMark } from './tandemMark.js';
import styles from './topBar.module.css';

/** Where this is, how the page stands with its host, and what can be opened from everywhere. */
export function TopBar() {
  const shell = useShell();
  const isNarrow = useIsNarrow();
  const isSideShown = useStore(layoutPreferences, (layout) => layout.isSideShown);
  const host = usePageState((state) => state.host);
  const connected = usePageState(({ agents }) =>
    agents.reduce((count, { sessions }) => count + sessions.length, 0),
  );
  const folders = host?.folders.map(({ name }) => visibleName(name)).join(', ');
  return (
    <header className={styles.bar} {...region('top')}>
      {!isNarrow && (
        <IconButton
          icon={PanelLeft}
          label="Side bar"
          keys="Mod+B"
          isExpanded={isSideShown}
          onClick={toggleSide}
        />
      )}
      <div className={styles.brand}>
        <TandemMark />
        <h1 className={styles.name}>Tandem</h1>
      </div>
      <p className={styles.place} title={host?.folders.map(({ path }) => visibleName(path)).join('\n')}>
        {folders !== undefined && (
          <>
            <strong className={styles.folder}>{folders || 'No folder'}</strong>
            <span className={styles.machine}>on {visibleName(host?.machine ?? '')}</span>
          </>
        )}
      </p>
      <button
        type="button"
        className={styles.search}
        title={`Quick open (${keyText('Mod+P')})`}
        onClick={() => shell.openDialog({ kind: 'quick-open' })}
      >
        <Search size={15} aria-hidden="true" />
        <span className={styles.searchText}>Go to file or review</span>
        <span className={styles.searchKey} aria-hidden="true">
          {keyText('Mod+P')}
        </span>
      </button>
      <ConnectionMark />
      {!isNarrow && (
        <IconButton
          icon={Bot}
          label={connected === 1 ? 'Agents, 1 connected' : `Agents, ${connected} connected`}
          text={String(connected)}
          keys="Alt+A"
          onClick={() => shell.showAgents()}
        />
      )}
      {!isNarrow && <ChatButton />}
      <IconButton icon={Keyboard} label="Keys" keys="F1" onClick={() => shell.openDialog({ kind: 'help' })} />
    </header>
  );
}

/** Opens the chat, and says what waits in it. */
function ChatButton() {
  const shell = useShell();
  const isShown = useStore(layoutPreferences, (layout) => layout.isChatShown);
  const waiting = usePageState(({ chat }) => chat?.waiting ?? 0);
  return (
    <IconButton
      icon={MessageSquare}
      label={waiting === 0 ? 'Chat' : `Chat, ${waiting} waiting for your answer`}
      {...(waiting > 0 && { text: String(waiting) })}
      keys="Alt+C"
      isExpanded={isShown}
      onClick={() => (isShown ? shell.hideChat() : shell.showChat())}
    />
  );
}

const connectionWords = {
  open: 'Connected',
  connecting: 'Connecting',
  lost: 'Not connected',
  refused: 'Refused',
} as const;

function ConnectionMark() {
  const connection = usePageState((state) => state.connection);
  return (
    <span className={styles.connection} data-state={connection} title={connectionWords[connection]}>
      <span className={styles.dot} aria-hidden="true" />
      <span className={connection === 'open' ? 'visually-hidden' : undefined}>
        {connectionWords[connection]}
      </span>
    </span>
  );
}
