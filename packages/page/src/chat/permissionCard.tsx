import { type ChatOption, type ChatPermission, permissionDetails } from '@tandem/chat/model';
import { visibleName } from '@tandem/core';
import { ShieldQuestion } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { joinClasses } from '../primitives/joinClasses.js';
import type { ChatAnswerChoice } from './chatHost.js';
import { permissionTitle, scopeWords } from './chatWords.js';
import { PermissionFields } from './permissionFields.js';
import styles from './requestCards.module.css';
import { ToolContent } from './toolContent.js';

interface PermissionCardProps {
  readonly request: ChatPermission;
  /** How many more wait behind it. */
  readonly more: number;
  /** It stands where another card stood a moment ago: a key or a click may have been meant for that one. */
  readonly isSudden?: boolean;
  readonly onAnswer: (choice: ChatAnswerChoice) => void;
}

/** A click or a key that was meant for what stood there before decides nothing, for so long. */
export const startledMs = 500;

/** Asks whether a tool may run, with what would be executed. The title that the agent gives it is not shown. */
export function PermissionCard({ request, more, isSudden, onAnswer }: PermissionCardProps) {
  const id = useId();
  const details = permissionDetails(request);
  return (
    <section className={styles.card} aria-labelledby={`${id}-title`}>
      <header className={styles.head}>
        <ShieldQuestion size={16} className={styles.icon} aria-hidden="true" />
        <h3 id={`${id}-title`} className={styles.title}>
          {permissionTitle(request)}
        </h3>
        {more > 0 && <span className={styles.more}>{more} more</span>}
      </header>
      <div className={styles.content}>
        <PermissionFields details={details} hasInput={request.input !== undefined} />
        <ToolContent content={request.content} toolCallId={request.toolCallId} lines={24} />
      </div>
      <PermissionOptions request={request} isSudden={isSudden ?? false} onAnswer={onAnswer} />
    </section>
  );
}

/** The request's options as buttons: yes and no for this once beside each other, then those that hold longer. */
export function PermissionOptions({ request, isSudden, onAnswer }: Omit<PermissionCardProps, 'more'>) {
  const id = useId();
  const [isStartled, setStartled] = useState(isSudden === true);
  useEffect(() => {
    if (!isStartled) return;
    const over = setTimeout(() => setStartled(false), startledMs);
    return () => clearTimeout(over);
  }, [isStartled]);
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
      aria-disabled={isStartled}
      aria-describedby={describedBy}
      onClick={() => {
        if (!isStartled) onAnswer({ optionId: option.optionId });
      }}
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
