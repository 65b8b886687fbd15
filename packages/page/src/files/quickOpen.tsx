import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { DialogFrame } from '../app/dialogFrame.js';
import { useShell } from '../app/shellContext.js';
import { usePage, usePageState } from '../client/pageContext.js';
import styles from './quickOpen.module.css';
import { fileItem, findItems, parseQuery, type QuickItem, reviewItem } from './quickOpenItems.js';
import { QuickOpenRow } from './quickOpenRow.js';

/** The files as they were listed last: shown at once the next time, and listed again meanwhile. */
let known: { readonly items: readonly QuickItem[]; readonly isTruncated: boolean } | undefined;

/** Finds a file or a review by parts of its name. */
export function QuickOpen({ onClose }: { readonly onClose: () => void }) {
  const shell = useShell();
  const { host } = usePage();
  const allReviews = usePageState((state) => state.reviews);
  const [files, setFiles] = useState(known);
  const [failure, setFailure] = useState<string>();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();

  useEffect(() => {
    let isGone = false;
    host.request('files.all', {}).then(
      ({ files: found, isTruncated }) => {
        known = { items: found.map(({ path, label }) => fileItem(path, label)), isTruncated };
        if (!isGone) setFiles(known);
      },
      (error: unknown) => {
        if (!isGone) setFailure(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      isGone = true;
    };
  }, [host]);

  const reviews = useMemo(
    () => allReviews.filter(({ state }) => state === 'pending').map(reviewItem),
    [allReviews],
  );
  const { text, line } = parseQuery(query);
  const matches = useMemo(() => {
    const recent = shell.tabs.state
      .getState()
      .recent.flatMap((key) => /^document:(.*)$/s.exec(key)?.[1] ?? []);
    return findItems(text, files?.items ?? [], reviews, recent);
  }, [text, files, reviews, shell]);
  const selected = Math.min(at, matches.length - 1);
  useEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected]);

  const open = (item: QuickItem | undefined): void => {
    if (item === undefined) return;
    onClose();
    if (item.kind === 'review') {
      shell.openReview(item.id, { takesFocus: true });
      return;
    }
    const start = { line: Math.max((line ?? 1) - 1, 0), character: 0 };
    const range = line === undefined ? undefined : { start, end: start };
    void shell.desk.open(item.id, { range }).then(() => shell.show('main'));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const step = steps[event.key];
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) open(matches[selected]?.item);
    else if (step !== undefined && matches.length > 0) {
      const wrapped = (selected + step + matches.length) % matches.length;
      setAt(Math.abs(step) === 1 ? wrapped : Math.min(Math.max(selected + step, 0), matches.length - 1));
    } else return;
    event.preventDefault();
  };

  const found = matches.length === 0 ? 'No matches.' : `${matches.length} found`;
  return (
    <DialogFrame title="Quick open" hidesTitle onClose={onClose}>
      <input
        className={styles.input}
        type="text"
        role="combobox"
        aria-label="File or review"
        aria-expanded={matches.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={matches.length > 0 ? `${id}-${selected}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder="Part of a name, :12 for a line"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={`${id}-list`} className={styles.list} role="listbox" aria-label="Files and reviews">
        {matches.map((match, index) => (
          <QuickOpenRow
            key={match.item.key}
            id={`${id}-${index}`}
            match={match}
            isSelected={index === selected}
            onOpen={() => open(match.item)}
          />
        ))}
      </div>
      <p className={styles.foot} role="status">
        {failure !== undefined
          ? `The files could not be listed: ${failure}`
          : files === undefined
            ? ''
            : `${found}${files.isTruncated ? '. Not all files are listed.' : ''}`}
      </p>
    </DialogFrame>
  );
}
