import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from 'react';
import { joinClasses } from './button.js';
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

interface MenuProps<T extends { readonly key: string }> {
  /** The id of the list; its options have `optionId(id, index)`. */
  readonly id: string;
  readonly label: string;
  readonly items: readonly T[];
  /** Index of the selected item; negative if there is none. */
  readonly selected: number;
  readonly onPick: (item: T) => void;
  readonly children: (item: T) => ReactNode;
  /** The accessible name of an option, where its text is not enough. */
  readonly nameOf?: (item: T) => string;
  readonly className?: string | undefined;
}

/** The list of a combobox. The focus stays in the text field, which moves the selection. */
export function Menu<T extends { readonly key: string }>(props: MenuProps<T>) {
  const { id, items, selected, onPick } = props;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <div
      ref={list}
      id={id}
      className={joinClasses(styles.menu, props.className)}
      role="listbox"
      aria-label={props.label}
    >
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys.
        // biome-ignore lint/a11y/useFocusableInteractive: the text field keeps the focus and names its active option.
        <div
          key={item.key}
          id={optionId(id, index)}
          className={styles.row}
          role="option"
          aria-selected={index === selected}
          aria-label={props.nameOf?.(item)}
          // The text field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(item)}
        >
          {props.children(item)}
        </div>
      ))}
    </div>
  );
}

/** The id of an option, for `aria-activedescendant`. */
export function optionId(id: string, index: number): string | undefined {
  return index < 0 ? undefined : `${id}-${index}`;
}
