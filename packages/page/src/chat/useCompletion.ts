import { useEffect, useMemo, useState } from 'react';
import { useChat, useModel } from './chatContext.js';
import type { ChatFile } from './chatHost.js';
import { type CompletionItem, type CompletionQuery, commandItems, mentionItems } from './completion.js';

export interface Completion {
  readonly items: readonly CompletionItem[];
  readonly selected: number;
  select(index: number): void;
}

const none: readonly CompletionItem[] = [];

/** What can be put for what is typed. Empty while nothing is asked for, or nothing is known. */
export function useCompletion(query: CompletionQuery | undefined): Completion {
  const { host } = useChat();
  const commands = useModel((model) => model.commands);
  const [files, setFiles] = useState<readonly ChatFile[]>([]);
  const [selected, select] = useState(0);
  const [kind, text] = [query?.kind, query?.text ?? ''];
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query begins with its first item.
  useEffect(() => select(0), [kind, text]);
  useEffect(() => {
    if (kind !== 'mention') return;
    let isGone = false;
    host.findFiles(text).then(
      (found) => {
        if (!isGone) setFiles(found);
      },
      // Without a list of files there is nothing to complete; what is typed counts as it is.
      () => {
        if (!isGone) setFiles([]);
      },
    );
    return () => {
      isGone = true;
    };
  }, [host, kind, text]);
  const items = useMemo(() => {
    if (kind === 'command') return commandItems(commands, text);
    if (kind === 'mention') return mentionItems(files, host.selection(), text);
    return none;
  }, [kind, text, commands, files, host]);
  return { items, selected: Math.min(selected, Math.max(items.length - 1, 0)), select };
}
