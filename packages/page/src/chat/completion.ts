import type { ChatCommand } from '@tandem/chat/model';
import type { ChatFile, ChatSelection } from './chatHost.js';

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
