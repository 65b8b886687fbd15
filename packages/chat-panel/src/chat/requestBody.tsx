import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { joinClasses } from '../primitives/index.js';
import styles from './cards.module.css';

interface RequestBodyProps {
  readonly icon: LucideIcon;
  /** The id of the heading, which names the card. */
  readonly titleId: string;
  readonly title: string;
  /** How many requests follow this one. */
  readonly more: number;
  readonly children: ReactNode;
}

/** What a request asks. It scrolls above the buttons, with its heading where the panel is small. */
export function RequestBody({ icon: Icon, titleId, title, more, children }: RequestBodyProps) {
  return (
    <div className={joinClasses('scrolls', styles.asked)} data-asked>
      <header className={joinClasses('line', styles.head)}>
        <Icon size={16} aria-hidden="true" />
        <h3 id={titleId} className="grow">
          {title}
        </h3>
        {more > 0 && <span className="small">{more} more</span>}
      </header>
      <div className={joinClasses('stack', styles.content)}>{children}</div>
    </div>
  );
}
