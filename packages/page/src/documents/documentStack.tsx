import { useRef } from 'react';
import { useStore } from 'zustand';
import { ErrorBoundary } from '../app/errorBoundary.js';
import styles from '../app/mainArea.module.css';
import { useShell } from '../app/shellContext.js';
import { DocumentView } from './documentView.js';

/** So many editors stay alive behind the one in front; the others come back with their caret and scrolling. */
const mostAlive = 8;

/** The documents that were in front last, the one in front shown. */
export function DocumentStack({ activePath }: { readonly activePath: string | undefined }) {
  const shell = useShell();
  const tabs = useStore(shell.tabs.state, (state) => state.tabs);
  const recent = useRef<readonly string[]>([]);
  const isOpen = (path: string): boolean => tabs.some(({ kind, id }) => kind === 'document' && id === path);
  const others = recent.current.filter((path) => path !== activePath && isOpen(path));
  const latest = activePath === undefined ? others : [activePath, ...others];
  recent.current = latest.slice(0, mostAlive);
  // In an order that does not change with the tab in front, so that no editor is moved in the page.
  const alive = [...recent.current].sort();
  return alive.map((path) => (
    <div key={path} className={styles.fill} hidden={path !== activePath}>
      <ErrorBoundary name="This file">
        <DocumentView path={path} isActive={path === activePath} />
      </ErrorBoundary>
    </div>
  ));
}
