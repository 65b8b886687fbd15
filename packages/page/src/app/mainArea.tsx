import { lazy, Suspense } from 'react';
import { AgentsView } from '../agents/agentsView.js';
import { DocumentStack } from '../documents/documentView.js';
import { ErrorBoundary } from './errorBoundary.js';
import styles from './mainArea.module.css';
import { region } from './pageFocus.js';
import { ReviewPanel } from './reviewPanel.js';
import { useActiveTab } from './shellContext.js';
import { TabStrip } from './tabStrip.js';
import { Welcome } from './welcome.js';

const DiffView = lazy(async () => ({ default: (await import('../pageChat/diffView.js')).DiffView }));

/** The tabs and what the one in front shows. Editors of documents stay alive behind it. */
export function MainArea({ isHidden }: { readonly isHidden: boolean }) {
  const active = useActiveTab();
  return (
    <main className={styles.main} hidden={isHidden} {...region('main')}>
      <TabStrip />
      <div
        className={styles.panel}
        id="main-panel"
        tabIndex={-1}
        {...(active !== undefined && { role: 'tabpanel', 'aria-labelledby': `tab-${active.key}` })}
      >
        <DocumentStack activePath={active?.kind === 'document' ? active.id : undefined} />
        {active?.kind === 'review' && <ReviewPanel key={active.key} reviewId={active.id} />}
        {active?.kind === 'diff' && (
          <div key={active.key} className={styles.fill}>
            <ErrorBoundary name="This change">
              <Suspense>
                <DiffView tab={active} />
              </Suspense>
            </ErrorBoundary>
          </div>
        )}
        {active?.kind === 'agents' && (
          <div className={styles.fill}>
            <ErrorBoundary name="The list of agents">
              <AgentsView />
            </ErrorBoundary>
          </div>
        )}
        {active === undefined && <Welcome />}
      </div>
    </main>
  );
}
