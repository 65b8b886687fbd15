import type { ChatRefusal } from '@tandem/chat/model';
import { ShieldX } from 'lucide-react';
import { refusalWords } from './chatWords.js';
import styles from './requestCards.module.css';

interface RefusalCardProps {
  readonly request: ChatRefusal;
  readonly onReject: () => void;
}

/** Says that a request is refused. The host rejects it by itself; the button is for a rejection that did not arrive. */
export function RefusalCard({ request, onReject }: RefusalCardProps) {
  return (
    <section className={styles.card} aria-label="Refused">
      <header className={styles.head}>
        <ShieldX size={16} className={styles.icon} aria-hidden="true" />
        <p className={styles.title}>{refusalWords(request.reason)}</p>
      </header>
      <div className={styles.options}>
        <div className={styles.option}>
          <button
            type="button"
            data-first
            className={styles.choice}
            disabled={request.isAnswering}
            onClick={onReject}
          >
            Reject
          </button>
        </div>
      </div>
    </section>
  );
}
