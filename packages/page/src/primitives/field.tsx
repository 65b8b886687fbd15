import { type ComponentProps, type ReactNode, useId } from 'react';
import { joinClasses } from './joinClasses.js';
import styles from './primitives.module.css';

interface FieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly hint?: ReactNode;
}

/** A text field with its label before it and a hint below it. */
export function Field({ label, hint, className, ...input }: FieldProps) {
  const id = useId();
  return (
    <div className={joinClasses(styles.field, className)}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        {...input}
        className={styles.input}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="muted small">
          {hint}
        </p>
      )}
    </div>
  );
}

interface SelectProps extends ComponentProps<'select'> {
  /** The visible label. Without one, `aria-label` names the list. */
  readonly label?: string | undefined;
}

/** A native list of choices. */
export function Select({ label, className, ...select }: SelectProps) {
  const id = useId();
  return (
    <>
      {label !== undefined && <label htmlFor={id}>{label}</label>}
      <select id={id} {...select} className={joinClasses(styles.input, className)} />
    </>
  );
}

interface ChoiceProps extends Omit<ComponentProps<'input'>, 'title'> {
  readonly type: 'radio' | 'checkbox';
  readonly title: ReactNode;
  /** What choosing it means. */
  readonly meaning?: ReactNode;
  readonly tip?: string;
}

/** A radio button or a check box, with its text as a large target. */
export function Choice({ title, meaning, tip, className, ...input }: ChoiceProps) {
  return (
    <label className={joinClasses(styles.choice, className)} title={tip}>
      <input {...input} />
      <span>
        {title}
        {meaning !== undefined && (
          <span className={joinClasses('muted small', styles.meaning)}>{meaning}</span>
        )}
      </span>
    </label>
  );
}
