import type { ChatCommand } from '@tandem/chat/model';
import { visibleName } from '@tandem/core';
import { FileText, type LucideIcon, Slash, TextSelect } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { joinClasses, Menu } from '../primitives/index.js';
import { useLoaded } from '../primitives/loading.js';
import type { ChatFile, ChatSelection } from './chatHost.js';
import styles from './chatPanel.module.css';
import { useChat, useModel } from './panelState.js';

/** A mention after `@`, or a command after `/` at the start. */
export interface CompletionQuery {
  readonly kind: 'mention' | 'command';
  /** The start, including `@` or `/`. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export interface CompletionItem {
  readonly key: string;
  readonly kind: 'file' | 'selection' | 'command';
  readonly label: string;
  readonly note?: string;
  /** Replaces the typed text. */
  readonly insert: string;
  readonly mention?: {
    readonly path: string;
    readonly lines?: { readonly first: number; readonly last: number };
  };
}

/** The query at the cursor, if there is one. */
export function queryAt(text: string, caret: number): CompletionQuery | undefined {
  const before = text.slice(0, caret);
  const [, command] = /^\/([\w:.-]*)$/.exec(before) ?? [];
  if (command !== undefined) return { kind: 'command', from: 0, to: caret, text: command };
  const [, mention] = /(?:^|[\s(])@([^\s@]*)$/.exec(before) ?? [];
  if (mention === undefined) return undefined;
  return { kind: 'mention', from: caret - mention.length - 1, to: caret, text: mention };
}

const mostCommands = 50;

/** The matching commands: those that start with the query first. */
export function commandItems(commands: readonly ChatCommand[], query: string): readonly CompletionItem[] {
  const wanted = query.toLowerCase();
  const rankOf = ({ name }: ChatCommand): number => {
    const at = name.toLowerCase().indexOf(wanted);
    return at < 0 ? 2 : Math.min(at, 1);
  };
  return commands
    .filter((command) => rankOf(command) < 2)
    .sort((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name))
    .slice(0, mostCommands)
    .map(({ name, description, hint }) => ({
      key: `command ${name}`,
      kind: 'command',
      label: `/${name}${hint ? ` ${hint}` : ''}`,
      note: description,
      insert: `/${name} `,
    }));
}

/** The selection is first if the query is empty or starts "selection", otherwise after the files. */
export function mentionItems(
  files: readonly ChatFile[],
  selection: ChatSelection | undefined,
  query: string,
): readonly CompletionItem[] {
  const items = files.map(({ path, label }): CompletionItem => {
    return { key: `file ${path}`, kind: 'file', label, insert: `${mentionToken(label)} `, mention: { path } };
  });
  if (selection?.lines === undefined) return items;
  const { label } = selection;
  const { name, ...mentioned } = mentionItem(selection);
  const item: CompletionItem = {
    key: 'selection',
    kind: 'selection',
    label: 'Selection',
    note: name,
    ...mentioned,
  };
  const wanted = query.toLowerCase();
  if ('selection'.startsWith(wanted)) return [item, ...items];
  return label.toLowerCase().includes(wanted) ? [...items, item] : items;
}

/** The name of a mentioned selection, its token in the text and its meaning. */
export function mentionItem({ path, label, lines }: ChatSelection) {
  const name = lines === undefined ? label : `${label}:${lineWords(lines)}`;
  const mention = lines === undefined ? { path } : { path, lines };
  return { name, insert: `${mentionToken(name)} `, mention };
}

/** A mention in the text. Quotes mark the end of a name with spaces. */
function mentionToken(label: string): string {
  return /\s/.test(label) ? `@"${label}"` : `@${label}`;
}

/** Lines from 1. */
function lineWords({ first, last }: { readonly first: number; readonly last: number }): string {
  return first === last ? `${first + 1}` : `${first + 1}-${last + 1}`;
}

interface Completion {
  readonly items: readonly CompletionItem[];
  readonly selected: number;
  select(index: number): void;
}

const noFiles: readonly ChatFile[] = [];

/** The completions of a query. Empty without a query, and until they are known. */
export function useCompletion(query: CompletionQuery | undefined): Completion {
  const { host } = useChat();
  const commands = useModel((model) => model.commands);
  const [selected, select] = useState(0);
  const [kind, text] = [query?.kind, query?.text ?? ''];
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query starts with its first item.
  useEffect(() => select(0), [kind, text]);
  const { value: files = noFiles } = useLoaded(
    async () => (kind === 'mention' ? host.findFiles(text) : noFiles),
    [host, kind, text],
  );
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
