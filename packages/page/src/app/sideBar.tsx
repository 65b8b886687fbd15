import { ariaKeys, Count, ErrorBoundary, joinClasses, RowButton } from '@tandem/chat-panel/primitives';
import { ChevronRight, Files } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useStore } from 'zustand';
import { useWaiting } from '../changes/useWaiting.js';
import { usePageState } from '../client/pageContext.js';
import { layoutPreferences } from '../client/preferences.js';
import { FileTree } from '../files/fileTree.js';
import { ReviewQueue } from '../review/reviewQueue.js';
import styles from './frame.module.css';
import { useActiveTab, useShell } from './shell.js';

/** The pending reviews and the files. A narrow page shows one of the two. */
export function SideBar({ only }: { readonly only?: 'reviews' | 'files' }) {
  const shell = useShell();
  const active = useActiveTab();
  const pending = usePageState(({ reviews }) => reviews.filter(({ state }) => state === 'pending').length);
  const hasChanges = usePageState(({ sessions }) => sessions.some(({ files }) => files > 0));
  const showsReviews = useStore(layoutPreferences, (layout) => layout.showsReviews);
  const showsFiles = useStore(layoutPreferences, (layout) => layout.showsFiles);
  const isOpen = { reviews: only === 'reviews' || showsReviews, files: only === 'files' || showsFiles };
  return (
    <div className={joinClasses('stack', styles.sections, only !== undefined && styles.single)}>
      {only !== 'files' && (
        <Section
          name="Reviews"
          count={pending}
          isOpen={isOpen.reviews}
          isFixed={only !== undefined}
          grows={!isOpen.files}
          onToggle={() => layoutPreferences.setState({ showsReviews: !showsReviews })}
        >
          <ReviewQueue
            selectedId={active?.kind === 'review' ? active.id : undefined}
            onSelect={(id) => shell.openReview(id, { takesFocus: true })}
          />
          {hasChanges && (
            <RowButton icon={Files} aria-keyshortcuts={ariaKeys('Alt+G')} onClick={() => shell.showChanges()}>
              Changes <WaitingFiles />
            </RowButton>
          )}
        </Section>
      )}
      {only !== 'reviews' && (
        <Section
          name="Files"
          isOpen={isOpen.files}
          isFixed={only !== undefined}
          grows
          onToggle={() => layoutPreferences.setState({ showsFiles: !showsFiles })}
        >
          <FileTree />
        </Section>
      )}
    </div>
  );
}

function WaitingFiles() {
  const { files } = useWaiting();
  return <Count count={files} what={files === 1 ? 'file to review' : 'files to review'} />;
}

interface SectionProps {
  readonly name: string;
  readonly count?: number;
  readonly isOpen: boolean;
  /** It cannot be closed. */
  readonly isFixed: boolean;
  readonly grows: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

function Section({ name, count = 0, isOpen, isFixed, grows, onToggle, children }: SectionProps) {
  const id = useId();
  const heading = (
    <>
      {name} <Count count={count} what="pending" />
    </>
  );
  return (
    <section
      className={joinClasses('stack', styles.section, isOpen && grows && styles.grows)}
      aria-label={name}
    >
      <h2 className={joinClasses('line', !isFixed && 'muted')}>
        {isFixed ? (
          heading
        ) : (
          <RowButton aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
            <ChevronRight size={16} className="chevron" aria-hidden="true" />
            {heading}
          </RowButton>
        )}
      </h2>
      <div id={id} className={joinClasses('scrolls', styles.content)} hidden={!isOpen}>
        <ErrorBoundary name={name}>{children}</ErrorBoundary>
      </div>
    </section>
  );
}
