import {
  Button,
  Count,
  countOf,
  IconButton,
  joinClasses,
  KeyHint,
  Spacer,
  StatusDot,
} from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import {
  Bot,
  FileDiff,
  FilesIcon,
  Keyboard,
  type LucideIcon,
  MessageSquare,
  PanelLeft,
  Search,
  Settings,
  SquarePen,
} from 'lucide-react';
import { useStore } from 'zustand';
import { usePageState } from '../client/pageContext.js';
import { layoutPreferences, toggleSide, useIsNarrow } from '../client/preferences.js';
import styles from './frame.module.css';
import { region } from './pageFocus.js';
import { useActiveTab, useShell } from './shell.js';
import type { NarrowView } from './shellState.js';
import { TandemMark } from './startHelp.js';
import { agentsTab } from './tabList.js';

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
      label={questions === 0 ? 'Chat' : `Chat, ${countOf(questions, 'question')}`}
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

/** Switches between the views of a narrow page. */
export function BottomNavigation() {
  const shell = useShell();
  const view = useStore(shell.state, (state) => state.view);
  const isAgents = useActiveTab()?.key === agentsTab.key;
  const pending = usePageState(({ reviews }) => reviews.filter(({ state }) => state === 'pending').length);
  const asked = usePageState(({ chat }) => chat?.waiting ?? 0);
  const current = view === 'main' && isAgents ? 'agents' : view;
  const item = (name: NarrowView | 'agents', label: string, icon: LucideIcon, run: () => void, count = 0) => (
    <Item label={label} icon={icon} count={count} isCurrent={current === name} onClick={run} />
  );
  const showEditor = (): void => {
    if (isAgents) {
      const recent = shell.tabs.state.getState().recent.find((key) => key !== agentsTab.key);
      if (recent === undefined) shell.tabs.remove(({ key }) => key === agentsTab.key);
      else shell.tabs.activate(recent);
    }
    shell.show('main');
  };
  return (
    <nav className={styles.views} aria-label="Views" {...region('views')}>
      {item('reviews', 'Reviews', FileDiff, () => shell.show('reviews'), pending)}
      {item('files', 'Files', FilesIcon, () => shell.show('files'))}
      {item('main', 'Editor', SquarePen, showEditor)}
      {item('chat', 'Chat', MessageSquare, () => shell.showChat(), asked)}
      {item('agents', 'Agents', Bot, () => shell.showAgents())}
    </nav>
  );
}

interface ItemProps {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly count: number;
  readonly isCurrent: boolean;
  readonly onClick: () => void;
}

function Item({ label, icon: Icon, count, isCurrent, onClick }: ItemProps) {
  return (
    <button
      type="button"
      className={joinClasses('stack muted small', styles.view)}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onClick}
    >
      <Icon size={20} aria-hidden="true" />
      <Count count={count} what="pending" />
      {label}
    </button>
  );
}
