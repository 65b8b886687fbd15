import { visibleName } from '@tandem/core';
import { ChevronRight, Circle, CircleCheck, CircleDot, Pencil, X } from 'lucide-react';
import { useState } from 'react';
import { IconButton, joinClasses, RowButton } from '../primitives/index.js';
import { useChat, useModel } from './chatContext.js';
import styles from './chatPanel.module.css';
import { withdrawQueued } from './draft.js';

const statuses = {
  pending: { icon: Circle, text: 'to do' },
  in_progress: { icon: CircleDot, text: 'in progress' },
  completed: { icon: CircleCheck, text: 'done' },
};

/** The agent's plan as a checklist. Folded, it shows the progress and the current entry. */
export function PlanList() {
  const plan = useModel((model) => model.plan);
  const [isOpen, setOpen] = useState(true);
  if (plan.length === 0) return null;
  const done = plan.filter(({ status }) => status === 'completed').length;
  const current = plan.find(({ status }) => status === 'in_progress');
  return (
    <section className={joinClasses('stack small', styles.section)} aria-label="Plan">
      <RowButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={14} className="chevron" aria-hidden="true" />
        <strong>Plan</strong>
        <span className="muted">
          {done} of {plan.length}
        </span>
        {!isOpen && current !== undefined && (
          <span className="muted truncate">{visibleName(current.content)}</span>
        )}
      </RowButton>
      {isOpen && (
        <ul className={styles.entries}>
          {plan.map(({ content, status }, index) => {
            const { icon: Icon, text } = statuses[status];
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a plan is replaced as a whole.
              <li key={index} className={styles.entry} data-status={status}>
                <Icon size={14} aria-hidden="true" />
                <span>
                  <span className="visually-hidden">{text}: </span>
                  {visibleName(content)}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

/** The messages that are sent after the running answer, the next one first. Each can be edited and removed. */
export function QueuedPrompts() {
  const { host, panel } = useChat();
  const queued = useModel((model) => model.turn.queued);
  if (queued.length === 0) return null;
  return (
    <section
      className={joinClasses('stack small', styles.section, styles.queue)}
      aria-label="Queued messages"
    >
      <h3 className={joinClasses('muted', styles.sectionTitle)}>Queued messages</h3>
      <ol className={styles.entries}>
        {queued.map((prompt, index) => {
          const take = (way: 'edit' | 'remove'): void => {
            panel.focusComposer();
            void withdrawQueued(host, panel, prompt, way);
          };
          return (
            <li key={prompt.promptId} className="line">
              <p className={joinClasses('grow', styles.prompt)}>{prompt.text || 'An attachment'}</p>
              <IconButton
                icon={Pencil}
                label={`Edit queued message ${index + 1}`}
                onClick={() => take('edit')}
              />
              <IconButton
                icon={X}
                label={`Remove queued message ${index + 1}`}
                onClick={() => take('remove')}
              />
            </li>
          );
        })}
      </ol>
    </section>
  );
}
