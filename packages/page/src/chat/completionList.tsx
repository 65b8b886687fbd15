import { visibleName } from '@tandem/core';
import { FileText, type LucideIcon, Slash, TextSelect } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { joinClasses } from '../primitives/joinClasses.js';
import { Menu } from '../primitives/menu.js';
import { useChat, useModel } from './chatContext.js';
import type { ChatFile } from './chatHost.js';
import { type CompletionItem, type CompletionQuery, commandItems, mentionItems } from './completion.js';
import styles from './composer.module.css';

interface Completion {
  readonly items: readonly CompletionItem[];
  readonly selected: number;
  select(index: number): void;
}

/** The completions of a query. Empty without a query, and until they are known. */
export function useCompletion(query: CompletionQuery | undefined): Completion {
  const { host } = useChat();
  const commands = useModel((model) => model.commands);
  const [files, setFiles] = useState<readonly ChatFile[]>([]);
  const [selected, select] = useState(0);
  const [kind, text] = [query?.kind, query?.text ?? ''];
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query starts with its first item.
  useEffect(() => select(0), [kind, text]);
  useEffect(() => {
    if (kind !== 'mention') return;
    let isGone = false;
    const show = (found: readonly ChatFile[]): void => {
      if (!isGone) setFiles(found);
    };
    host.findFiles(text).then(show, () => show([]));
    return () => {
      isGone = true;
    };
  }, [host, kind, text]);
  const items = useMemo(() => {
    if (kind === 'command') return commandItems(commands, text);
    return kind === 'mention' ? mentionItems(files, host.selection(), text) : [];
  }, [kind, text, commands, files, host]);
  return { items, selected: Math.min(selected, Math.max(items.length - 1, 0)), select };
}

const icons: Readonly<Record<CompletionItem['kind'], LucideIcon>> = {
  file: FileText,
  selection: TextSelect,
  command: Slash,
};

interface CompletionListProps extends Pick<Completion, 'items' | 'selected'> {
  readonly id: string;
  readonly onPick: (item: CompletionItem) => void;
}

export function CompletionList(props: CompletionListProps) {
  return (
    <Menu {...props} label="Completions" className={styles.completions}>
      {({ kind, label, note }) => {
        const Icon = icons[kind];
        return (
          <>
            <Icon size={14} aria-hidden="true" />
            <span className={joinClasses('truncate', styles.completion)}>{visibleName(label)}</span>
            {note !== undefined && <span className="grow truncate muted small">{visibleName(note)}</span>}
          </>
        );
      }}
    </Menu>
  );
}
