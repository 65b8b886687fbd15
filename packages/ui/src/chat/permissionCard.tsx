import type { ChatPermission } from '@tandem/daemon/chat';
import { ShieldQuestion } from 'lucide-react';
import { useId } from 'react';
import { joinClasses } from '../app/joinClasses.js';
import { visibleName } from '../app/visibleName.js';
import type { ChatAnswerChoice } from './chatHost.js';
import { scopeWords } from './chatWords.js';
import styles from './requestCards.module.css';
import { ToolContent } from './toolContent.js';

interface PermissionCardProps {
  readonly request: ChatPermission;
  /** How many more wait behind it. */
  readonly more: number;
  readonly onAnswer: (choice: ChatAnswerChoice) => void;
}

/** Asks whether a tool may run, with what it would do. */
export function PermissionCard({ request, more, onAnswer }: PermissionCardProps) {
  const id = useId();
  const command = commandOf(request.input);
  return (
    <section className={styles.card} aria-labelledby={`${id}-title`}>
      <header className={styles.head}>
        <ShieldQuestion size={16} className={styles.icon} aria-hidden="true" />
        <h3 id={`${id}-title`} className={styles.title}>
          {visibleName(request.title)}
        </h3>
        {more > 0 && <span className={styles.more}>{more} more</span>}
      </header>
      <div className={styles.content}>
        {command !== undefined && <pre className={styles.command}>$ {command}</pre>}
        <ToolContent content={request.content} toolCallId={request.toolCallId} lines={24} />
      </div>
      <PermissionOptions request={request} onAnswer={onAnswer} />
    </section>
  );
}

/** The request's options as buttons: once first, then those that hold longer, then no. */
export function PermissionOptions({ request, onAnswer }: Omit<PermissionCardProps, 'more'>) {
  const id = useId();
  const options = [...request.options].sort((a, b) => rank(a) - rank(b));
  return (
    <div className={styles.options}>
      {options.map((option, index) => {
        const scope = scopeWords(option);
        return (
          <div key={option.optionId} className={styles.option}>
            <button
              type="button"
              data-first={index === 0}
              className={joinClasses(styles.choice, index === 0 && option.isAllow && styles.primary)}
              disabled={request.isAnswering}
              aria-describedby={scope === undefined ? undefined : `${id}-${index}`}
              onClick={() => onAnswer({ optionId: option.optionId })}
            >
              {visibleName(option.name)}
            </button>
            {scope !== undefined && (
              <span id={`${id}-${index}`} className={styles.scope}>
                {scope}
              </span>
            )}
          </div>
        );
      })}
    </div>
  );
}

const ranks = { once: 0, session: 1, project: 2, user: 3 };

function rank({ isAllow, scope }: ChatPermission['options'][number]): number {
  return isAllow ? ranks[scope] : 9;
}

function commandOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('command' in input)) return undefined;
  return typeof input.command === 'string' ? input.command : undefined;
}
