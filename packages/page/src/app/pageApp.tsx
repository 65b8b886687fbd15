import { ErrorBoundary, joinClasses } from '@tandem/chat-panel/primitives';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { AgentsView } from '../agents/agentsView.js';
import { usePageState } from '../client/pageContext.js';
import { layoutPreferences, sideWidths, useIsNarrow } from '../client/preferences.js';
import { DocumentStack } from '../documents/documentView.js';
import { InterruptedView } from '../review/interruptedTexts.js';
import { ReviewView } from '../review/reviewView.js';
import { ConnectionBars } from './connectionBars.js';
import { Dialogs } from './dialogs.js';
import styles from './frame.module.css';
import { NoticeList } from './notices.js';
import { region } from './pageFocus.js';
import { PanelSeparator } from './panelSeparator.js';
import { SharingLine } from './sharingLine.js';
import { useActiveTab, useShell } from './shell.js';
import { listenForKeys } from './shellKeys.js';
import { SideBar } from './sideBar.js';
import { DemoEnd, StartHelp, Welcome } from './startHelp.js';
import { reviewTab, type Tab } from './tabList.js';
import { TabStrip } from './tabStrip.js';
import { BottomNavigation, TopBar } from './topBar.js';

const ChatPlace = lazy(async () => ({ default: (await import('../pageChat/pageChat.js')).ChatPlace }));
const ChangesView = lazy(async () => ({ default: (await import('../changes/changesView.js')).ChangesView }));
const DiffView = lazy(async () => ({ default: (await import('../pageChat/diffView.js')).DiffView }));

/** The whole page: top bar, side bar, tabs, chat, sharing line. */
export function PageApp() {
  const shell = useShell();
  const isNarrow = useIsNarrow();
  const view = useStore(shell.state, (state) => state.view);
  const { isSideShown, sideWidth, isChatShown } = useStore(layoutPreferences);
  // A page that was connected before keeps its contents.
  const isShutOut = usePageState((state) => state.connection === 'refused' && state.host === undefined);
  const isDemoOver = usePageState((state) => state.isDemoOver);
  const isAsked = usePageState(({ chat }) => (chat?.waiting ?? 0) > 0);
  const showsChat = isNarrow ? view === 'chat' : isChatShown;
  // Its code is loaded when it is first needed, and then stays.
  const needsChat = useRef(false);
  needsChat.current ||= showsChat || isAsked;
  useEffect(() => listenForKeys(shell), [shell]);
  if (isShutOut) return <StartHelp isRefused />;
  if (isDemoOver) return <DemoEnd />;
  // In a narrow page, the side bar is the main content.
  const Side = isNarrow ? 'main' : 'nav';
  const showsSide = isNarrow ? view === 'reviews' || view === 'files' : isSideShown;
  return (
    <div className={joinClasses('stack', styles.page)}>
      <a className="visually-hidden" href="#main-panel">
        Go to the editor
      </a>
      <TopBar />
      <ConnectionBars />
      <div className={joinClasses('grow', styles.body)}>
        {showsSide && (
          <Side
            id="side"
            className={styles.side}
            style={isNarrow ? undefined : { width: sideWidth }}
            aria-label="Reviews and files"
            {...region('side')}
          >
            {isNarrow ? <SideBar only={view === 'files' ? 'files' : 'reviews'} /> : <SideBar />}
            {!isNarrow && (
              <PanelSeparator
                label="Width of the side bar"
                edge="right"
                controls="side"
                width={sideWidth}
                {...sideWidths}
                onWidth={(width) => layoutPreferences.setState({ sideWidth: width })}
              />
            )}
          </Side>
        )}
        <MainArea isHidden={isNarrow && view !== 'main'} />
        {needsChat.current && (
          <ErrorBoundary name="The chat">
            <Suspense>
              <ChatPlace isShown={showsChat} isNarrow={isNarrow} />
            </Suspense>
          </ErrorBoundary>
        )}
      </div>
      <SharingLine />
      {isNarrow && <BottomNavigation />}
      <NoticeList board={shell.notices} />
      <Dialogs />
    </div>
  );
}

/** The tabs and the content of the active one. Editors of documents stay alive in the background. */
function MainArea({ isHidden }: { readonly isHidden: boolean }) {
  const active = useActiveTab();
  const view = active && viewOf(active);
  return (
    <main className={joinClasses('stack grow', styles.main)} hidden={isHidden} {...region('main')}>
      <TabStrip />
      <div
        className={joinClasses('grow', styles.panel)}
        id="main-panel"
        tabIndex={-1}
        {...(active !== undefined && { role: 'tabpanel', 'aria-labelledby': `tab-${active.key}` })}
      >
        <DocumentStack activePath={active?.kind === 'document' ? active.id : undefined} />
        {active?.kind === 'review' && <ReviewPanel key={active.key} reviewId={active.id} />}
        {active !== undefined && view !== undefined && (
          <div key={active.key} className="fill">
            <ErrorBoundary name={view.name}>
              <Suspense>{view.content}</Suspense>
            </ErrorBoundary>
          </div>
        )}
        {active === undefined && <Welcome />}
      </div>
    </main>
  );
}

/** What a tab shows, and its name in an error; not for documents and reviews. */
function viewOf(tab: Tab): { readonly name: string; readonly content: ReactNode } | undefined {
  if (tab.kind === 'diff') return { name: 'This change', content: <DiffView tab={tab} /> };
  if (tab.kind === 'interrupted')
    return { name: 'This interrupted review', content: <InterruptedView id={tab.id} /> };
  if (tab.kind === 'agents') return { name: 'The list of agents', content: <AgentsView /> };
  return tab.kind === 'changes' ? { name: 'The changes', content: <ChangesView /> } : undefined;
}

/** One review. It takes the focus only if the user opened it. */
function ReviewPanel({ reviewId }: { readonly reviewId: string }) {
  const shell = useShell();
  const { key } = reviewTab(reviewId);
  const request = useStore(shell.tabs.state, ({ focusRequest }) =>
    focusRequest?.key === key ? focusRequest : undefined,
  );
  // Kept: the text of the review is loaded later.
  const [takesFocus, takeFocus] = useState(request !== undefined);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (request === undefined) return;
    takeFocus(true);
    // The scroll position stays.
    if (panel.current?.contains(document.activeElement) === false)
      panel.current.querySelector<HTMLElement>('section')?.focus({ preventScroll: true });
    shell.tabs.granted(request.serial);
  }, [shell, request]);
  return (
    <div ref={panel} className="fill" id="review-panel">
      <ErrorBoundary name="This review">
        <ReviewView
          reviewId={reviewId}
          takesFocus={takesFocus}
          onSelect={(id) => shell.openReview(id, { takesFocus: true, replaces: reviewId })}
        />
      </ErrorBoundary>
    </div>
  );
}
