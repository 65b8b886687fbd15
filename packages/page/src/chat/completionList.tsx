import { visibleName } from '@tandem/core';
import { FileText, type LucideIcon, Slash, TextSelect } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { CompletionItem } from './completion.js';
import styles from './completionList.module.css';

const icons: Readonly<Record<CompletionItem['kind'], LucideIcon>> = {
  file: FileText,
  selection: TextSelect,
  command: Slash,
};

interface CompletionListProps {
  readonly id: string;
  readonly items: readonly CompletionItem[];
  readonly selected: number;
  readonly onPick: (item: CompletionItem) => void;
}

/** The list below a combobox. The focus stays in the text. */
export function CompletionList({ id, items, selected, onPick }: CompletionListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <div ref={list} id={id} className={styles.list} role="listbox" aria-label="Completions">
      {items.map((item, index) => {
        const Icon = icons[item.kind];
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the text, which moves through the list.
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text, which names the option that is chosen.
          <div
            key={item.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === selected}
            className={styles.item}
            // The text keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onPick(item)}
          >
            <Icon size={14} className={styles.icon} aria-hidden="true" />
            <span className={styles.label}>{visibleName(item.label)}</span>
            {item.note !== undefined && <span className={styles.note}>{visibleName(item.note)}</span>}
          </div>
        );
      })}
    </div>
  );
}
