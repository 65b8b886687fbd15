import { type ReactNode, useEffect, useRef } from 'react';
import { joinClasses } from './joinClasses.js';
import styles from './primitives.module.css';

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
