import { visibleName } from '@tandem/core';
import { ChevronRight, Circle, CircleCheck, CircleDot } from 'lucide-react';
import { useState } from 'react';
import { useModel } from './chatContext.js';
import styles from './planList.module.css';

const icons = { pending: Circle, in_progress: CircleDot, completed: CircleCheck };
const words = { pending: 'to do', in_progress: 'under way', completed: 'done' };

/** The agent's plan as a checklist, above the composer. Folded it says how far it is and what is under way. */
export function PlanList() {
  const plan = useModel((model) => model.plan);
  const [isOpen, setOpen] = useState(true);
  if (plan.length === 0) return null;
  const done = plan.filter(({ status }) => status === 'completed').length;
  const current = plan.find(({ status }) => status === 'in_progress');
  return (
    <section className={styles.plan} aria-label="Plan">
      <button type="button" className={styles.head} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={14} className={styles.chevron} data-open={isOpen} aria-hidden="true" />
        <span className={styles.name}>Plan</span>
        <span className={styles.count}>
          {done} of {plan.length}
        </span>
        {!isOpen && current !== undefined && (
          <span className={styles.current}>{visibleName(current.content)}</span>
        )}
      </button>
      {isOpen && (
        <ul className={styles.entries}>
          {plan.map(({ content, status }, index) => {
            const Icon = icons[status];
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a plan is replaced as a whole.
              <li key={index} className={styles.entry} data-status={status}>
                <Icon size={14} className={styles.mark} aria-hidden="true" />
                <span className="visually-hidden">{words[status]}: </span>
                {visibleName(content)}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
