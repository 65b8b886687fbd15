import { joinClasses } from '@tandem/chat-panel/primitives';
import {
  Bot,
  FileCheck,
  FileClock,
  FileDiff,
  FileMinus,
  Files,
  FileText,
  FileX,
  MessageSquareDiff,
  X,
} from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { usePageState } from '../client/pageContext.js';
import { listedReviews } from '../client/pageStore.js';
import { focusSelectedTab } from './pageFocus.js';
import { useShell } from './shell.js';
import { type Tab, type TabTitle, tabTitles } from './tabList.js';
import styles from './tabStrip.module.css';

const icons = {
  document: FileText,
  review: FileDiff,
  diff: MessageSquareDiff,
  interrupted: FileClock,
  agents: Bot,
  changes: Files,
};
const outcomeKinds = { accepted: 'good', rejected: 'error', withdrawn: undefined, interrupted: undefined };
const outcomeIcons = { accepted: FileCheck, rejected: FileX, withdrawn: FileMinus, interrupted: FileMinus };

/** The open documents and reviews. Arrows move, Delete closes, as in the tab pattern of ARIA. */
export function TabStrip() {
  const shell = useShell();
  const tabs = useStore(shell.tabs.state, (state) => state.tabs);
  const active = useStore(shell.tabs.state, (state) => state.active);
  const documents = usePageState((state) => state.documents);
  const reviews = usePageState((state) => state.reviews);
  const decided = usePageState((state) => state.decided);
  const activeTab = tabs.find(({ key }) => key === active);
  const interrupted = usePageState((state) => state.interrupted);
  const titles = tabTitles(tabs, documents, listedReviews({ reviews, decided }), interrupted);
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = strip;
    if (current === null || active === undefined) return;
    const show = (): void => {
      const tab = current.querySelector('[aria-selected="true"]');
      // Including its cross.
      tab?.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    };
    show();
    // The active tab stays visible when the page becomes narrower.
    const observer = new ResizeObserver(show);
    observer.observe(current);
    return () => observer.disconnect();
  }, [active]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ key }) => key === active);
    const tab = tabs[at];
    if (tab === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const targets: Record<string, Tab | undefined> = {
      ArrowRight: tabs[(at + 1) % tabs.length],
      ArrowLeft: tabs.at(at - 1),
      Home: tabs[0],
      End: tabs.at(-1),
    };
    const target = targets[event.key];
    if (target !== undefined) shell.activate(target.key, {});
    else if (event.key === 'Delete') void shell.closeTab(tab);
    else return;
    event.preventDefault();
    if (target !== undefined) requestAnimationFrame(focusSelectedTab);
  };

  if (tabs.length === 0) return null;
  return (
    <div
      className={styles.strip}
      ref={strip}
      onWheel={(event) => {
        if (strip.current !== null && event.deltaX === 0) strip.current.scrollLeft += event.deltaY;
      }}
    >
      <div className={styles.tabs} role="tablist" aria-label="Open files and reviews" onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <StripTab key={tab.key} tab={tab} title={titles.get(tab.key)} isActive={tab.key === active} />
        ))}
      </div>
      {activeTab !== undefined && (
        // The cross on the tab is for the mouse only.
        <button type="button" className="visually-hidden" onClick={() => void shell.closeTab(activeTab)}>
          Close {titles.get(activeTab.key)?.name}
        </button>
      )}
    </div>
  );
}

interface StripTabProps {
  readonly tab: Tab;
  readonly title: TabTitle | undefined;
  readonly isActive: boolean;
}

function StripTab({ tab, title, isActive }: StripTabProps) {
  const shell = useShell();
  const Icon = title?.outcome === undefined ? icons[tab.kind] : outcomeIcons[title.outcome];
  const close = (): void => void shell.closeTab(tab);
  return (
    <div
      className={joinClasses('line muted', styles.tab, isActive && styles.active)}
      data-kind={title?.outcome && outcomeKinds[title.outcome]}
      role="presentation"
    >
      <button
        type="button"
        role="tab"
        id={`tab-${tab.key}`}
        aria-selected={isActive}
        aria-controls={isActive ? 'main-panel' : undefined}
        aria-label={title?.accessibleName}
        aria-keyshortcuts="Delete"
        tabIndex={isActive ? 0 : -1}
        className={joinClasses('line', styles.button)}
        title={title?.tip}
        onClick={() => shell.activate(tab.key)}
        onAuxClick={(event) => {
          if (event.button === 1) close();
        }}
        onMouseDown={(event) => {
          // The middle button would begin to scroll.
          if (event.button === 1) event.preventDefault();
        }}
      >
        <Icon size={16} aria-hidden="true" />
        <span className={joinClasses('truncate', title?.isStruck && styles.struck)}>{title?.name}</span>
        {title?.hint !== undefined && <span className="muted small truncate">{title.hint}</span>}
      </button>
      {/* For the mouse: a tab list may contain only tabs. Delete and a key of the page do the same. */}
      <span
        className={styles.close}
        data-dirty={title?.isDirty}
        aria-hidden="true"
        title="Close"
        onClick={close}
      >
        <X size={14} />
      </span>
    </div>
  );
}
