import type { ChatOption, ChatPermission } from '@tandem/daemon/chat';
import { ShieldQuestion } from 'lucide-react';
import { useId } from 'react';
import { joinClasses } from '../app/joinClasses.js';
import { visibleName } from '../app/visibleName.js';
import type { ChatAnswerChoice } from './chatHost.js';
import { permissionTitle, scopeWords } from './chatWords.js';
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
          {visibleName(permissionTitle(request))}
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

/** The request's options as buttons: yes and no for this once beside each other, then those that hold longer. */
export function PermissionOptions({ request, onAnswer }: Omit<PermissionCardProps, 'more'>) {
  const id = useId();
  const { options, isAnswering } = request;
  const once = options.filter((option) => option.isAllow && option.scope === 'once');
  const no = options.filter(({ isAllow }) => !isAllow);
  const lasting = options.filter((option) => option.isAllow && option.scope !== 'once');
  const choice = (option: ChatOption, classes: string | undefined, describedBy?: string) => (
    <button
      key={option.optionId}
      type="button"
      data-first={option === (once[0] ?? options[0])}
      className={joinClasses(styles.choice, classes)}
      disabled={isAnswering}
      aria-describedby={describedBy}
      onClick={() => onAnswer({ optionId: option.optionId })}
    >
      {visibleName(option.name)}
    </button>
  );
  return (
    <div className={styles.options}>
      <div className={styles.option}>
        {once.map((option) => choice(option, styles.primary))}
        {no.map((option) => choice(option, undefined))}
      </div>
      {lasting.map((option, index) => (
        <div key={option.optionId} className={styles.option}>
          {choice(option, styles.lasting, `${id}-${index}`)}
          <span id={`${id}-${index}`} className={styles.scope}>
            {scopeWords(option)}
          </span>
        </div>
      ))}
    </div>
  );
}

function commandOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('command' in input)) return undefined;
  return typeof input.command === 'string' ? input.command : undefined;
}
