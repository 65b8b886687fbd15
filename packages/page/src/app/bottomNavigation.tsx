import { Bot, FileDiff, FilesIcon, type LucideIcon, MessageSquare, SquarePen } from 'lucide-react';
import { useStore } from 'zustand';
import { usePageState } from '../client/pageContext.js';
import { Count, joinClasses } from '../primitives/index.js';
import styles from './frame.module.css';
import { region } from './pageFocus.js';
import { useActiveTab, useShell } from './shellContext.js';
import type { NarrowView } from './shellState.js';
import { agentsTab } from './tabList.js';

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
