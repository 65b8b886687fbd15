import { visibleName } from '@tandem/core';
import { Bot, Keyboard, MessageSquare, PanelLeft, Search, Settings } from 'lucide-react';
import { useStore } from 'zustand';
import { usePageState } from '../client/pageContext.js';
import { layoutPreferences, toggleSide, useIsNarrow } from '../client/preferences.js';
import { Button, IconButton, joinClasses, KeyHint, Spacer, StatusDot } from '../primitives/index.js';
import styles from './frame.module.css';
import { region } from './pageFocus.js';
import { useShell } from './shellContext.js';
import { TandemMark } from './startHelp.js';

/** The folder, the connection, and the buttons for everything that opens from everywhere. */
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
    <header className={joinClasses('line', styles.top)} {...region('top')}>
      {!isNarrow && (
        <IconButton
          icon={PanelLeft}
          label="Side bar"
          keys="Mod+B"
          isExpanded={isSideShown}
          onClick={toggleSide}
        />
      )}
      <TandemMark />
      <h1 className={styles.brand}>Tandem</h1>
      <p
        className={joinClasses('line grow', styles.folders)}
        title={host?.folders.map(({ path }) => visibleName(path)).join('\n')}
      >
        {folders !== undefined && (
          <>
            <strong className="truncate">{folders || 'No folder'}</strong>
            <span className={joinClasses(styles.machine, 'muted')}>
              on {visibleName(host?.machine ?? '')}
            </span>
          </>
        )}
      </p>
      <Button
        icon={Search}
        className={styles.search}
        tip="Quick open"
        keys="Mod+P"
        onClick={() => shell.openDialog({ kind: 'quick-open' })}
      >
        <span className="truncate">Go to file or review</span>
        <Spacer />
        <span aria-hidden="true">
          <KeyHint keys="Mod+P" />
        </span>
      </Button>
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
      <IconButton
        icon={Keyboard}
        label="Keyboard shortcuts"
        keys="F1"
        onClick={() => shell.openDialog({ kind: 'help' })}
      />
      <IconButton icon={Settings} label="Settings" onClick={() => shell.openDialog({ kind: 'settings' })} />
    </header>
  );
}

function ChatButton() {
  const shell = useShell();
  const isShown = useStore(layoutPreferences, (layout) => layout.isChatShown);
  const questions = usePageState(({ chat }) => chat?.waiting ?? 0);
  return (
    <IconButton
      icon={MessageSquare}
      label={questions === 0 ? 'Chat' : `Chat, ${questions} waiting for your answer`}
      {...(questions > 0 && { text: String(questions) })}
      keys="Alt+C"
      isExpanded={isShown}
      onClick={() => (isShown ? shell.hideChat() : shell.showChat())}
    />
  );
}

const connectionTexts = {
  open: 'Connected',
  connecting: 'Connecting',
  lost: 'Not connected',
  refused: 'Key not valid',
} as const;

function ConnectionMark() {
  const connection = usePageState((state) => state.connection);
  return (
    <span className="line muted" title={connectionTexts[connection]}>
      <StatusDot state={connection === 'open' ? 'good' : connection === 'connecting' ? 'pending' : 'bad'} />
      <span className={connection === 'open' ? 'visually-hidden' : undefined}>
        {connectionTexts[connection]}
      </span>
    </span>
  );
}
