import { lazy, Suspense, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { usePageState } from '../client/pageContext.js';
import { SharingLine } from '../sharing/sharingLine.js';
import { BottomNavigation } from './bottomNavigation.js';
import { ConnectionBars } from './connectionBars.js';
import { DemoEnd } from './demoEnd.js';
import { Dialogs } from './dialogs.js';
import { ErrorBoundary } from './errorBoundary.js';
import { layoutPreferences, sideWidths, useIsNarrow } from './layoutPreferences.js';
import { MainArea } from './mainArea.js';
import { NoticeList } from './notices.js';
import styles from './pageApp.module.css';
import { region } from './pageFocus.js';
import { PanelSeparator } from './panelSeparator.js';
import { useShell } from './shellContext.js';
import { listenForKeys } from './shellKeys.js';
import { SideBar } from './sideBar.js';
import { StartHelp } from './startHelp.js';
import { TopBar } from './topBar.js';

const ChatPlace = lazy(async () => ({ default: (await import('../pageChat/chatPlace.js')).ChatPlace }));

/** The whole page: top bar, side bar, tabs, sharing line. */
export function PageApp() {
  const shell = useShell();
  const isNarrow = useIsNarrow();
  const view = useStore(shell.state, (state) => state.view);
  const isSideShown = useStore(layoutPreferences, (layout) => layout.isSideShown);
  const sideWidth = useStore(layoutPreferences, (layout) => layout.sideWidth);
  // A page that was let in before keeps what is in it.
  const isShutOut = usePageState((state) => state.connection === 'refused' && state.host === undefined);
  const isDemoOver = usePageState((state) => state.isDemoOver);
  const wantsChat = useStore(layoutPreferences, (layout) => layout.isChatShown);
  const isAsked = usePageState(({ chat }) => (chat?.waiting ?? 0) > 0);
  const showsChat = isNarrow ? view === 'chat' : wantsChat;
  // Its code is fetched when it is first needed; from then on it stays.
  const needsChat = useRef(false);
  needsChat.current ||= showsChat || isAsked;
  useEffect(() => listenForKeys(shell), [shell]);
  if (isShutOut) return <StartHelp isRefused />;
  if (isDemoOver) return <DemoEnd />;
  // What a narrow page shows is the main thing on it.
  const Side = isNarrow ? 'main' : 'nav';
  const showsSide = isNarrow ? view === 'reviews' || view === 'files' : isSideShown;
  return (
    <div className={styles.page}>
      <a className="visually-hidden" href="#main-panel">
        Go to the editor
      </a>
      <TopBar />
      <ConnectionBars />
      <div className={styles.body}>
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
      <NoticeList />
      <Dialogs />
    </div>
  );
}
