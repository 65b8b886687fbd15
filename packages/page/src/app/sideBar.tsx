import { ChevronDown } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useStore } from 'zustand';
import { usePageState } from '../client/pageContext.js';
import { FileTree } from '../files/fileTree.js';
import { joinClasses } from '../primitives/joinClasses.js';
import { ReviewQueue } from '../review/reviewQueue.js';
import { ErrorBoundary } from './errorBoundary.js';
import { layoutPreferences } from './layoutPreferences.js';
import { useActiveTab, useShell } from './shellContext.js';
import styles from './sideBar.module.css';

/** The reviews that wait, and below them the files. A narrow page shows one of the two. */
export function SideBar({ only }: { readonly only?: 'reviews' | 'files' }) {
  const shell = useShell();
  const active = useActiveTab();
  const waiting = usePageState(({ reviews }) => reviews.filter(({ state }) => state === 'pending').length);
  const showsReviews = useStore(layoutPreferences, (layout) => layout.showsReviews);
  const showsFiles = useStore(layoutPreferences, (layout) => layout.showsFiles);
  const isOpen = { reviews: only === 'reviews' || showsReviews, files: only === 'files' || showsFiles };
  return (
    <div className={joinClasses(styles.side, only !== undefined && styles.single)}>
      {only !== 'files' && (
        <Section
          name="Reviews"
          count={waiting}
          isOpen={isOpen.reviews}
          isFixed={only !== undefined}
          grows={!isOpen.files}
          onToggle={() => layoutPreferences.setState({ showsReviews: !showsReviews })}
        >
          <ReviewQueue
            selectedId={active?.kind === 'review' ? active.id : undefined}
            onSelect={(id) => shell.openReview(id, { takesFocus: true })}
          />
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

function Section({ name, count, isOpen, isFixed, grows, onToggle, children }: SectionProps) {
  const id = useId();
  const badge = count !== undefined && count > 0 && (
    <span className={styles.count}>
      {count}
      <span className="visually-hidden"> waiting</span>
    </span>
  );
  return (
    <section className={joinClasses(styles.section, isOpen && grows && styles.grows)} aria-label={name}>
      <h2 className={styles.heading}>
        {isFixed ? (
          <span className={styles.fixed}>
            {name} {badge}
          </span>
        ) : (
          <button
            type="button"
            className={styles.toggle}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={onToggle}
          >
            <ChevronDown size={14} className={styles.chevron} aria-hidden="true" />
            {name} {badge}
          </button>
        )}
      </h2>
      <div id={id} className={styles.body} hidden={!isOpen}>
        <ErrorBoundary name={name}>{children}</ErrorBoundary>
      </div>
    </section>
  );
}
