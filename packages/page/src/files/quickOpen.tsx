import { fileItem, findItems, type QuickItem, type QuickMatch } from '@tandem/chat-panel/fileSearch';
import { Dialog, joinClasses, Menu, optionId, useLoaded } from '@tandem/chat-panel/primitives';
import { highlight } from 'fuzzysort';
import { File, FileDiff } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from 'react';
import { useShell } from '../app/shell.js';
import { fileName } from '../app/tabList.js';
import { usePage, usePageState } from '../client/pageContext.js';
import styles from './files.module.css';
import { parseQuery, reviewItem } from './quickOpenItems.js';

/** The last listing of files: shown at once the next time, until the new listing arrives. */
let known: { readonly items: readonly QuickItem[]; readonly isTruncated: boolean } | undefined;

/** Finds a file or a review by parts of its name. */
export function QuickOpen({ onClose }: { readonly onClose: () => void }) {
  const shell = useShell();
  const { host } = usePage();
  const allReviews = usePageState((state) => state.reviews);
  const { value: files = known, failure } = useLoaded(async () => {
    const { files: found, isTruncated } = await host.request('files.all', {});
    known = { items: found.map(({ path, label }) => fileItem(path, label)), isTruncated };
    return known;
  }, [host]);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();

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

  const open = (item: QuickItem | undefined): void => {
    if (item === undefined) return;
    onClose();
    if (item.kind === 'review') {
      shell.openReview(item.id, { takesFocus: true });
      return;
    }
    const start = { line: Math.max((line ?? 1) - 1, 0), character: 0 };
    const range = line === undefined ? undefined : { start, end: start };
    void shell.documentCommands.open(item.id, { range }).then(() => shell.show('main'));
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
    <Dialog title="Quick open" hidesTitle onClose={onClose}>
      <input
        className={styles.input}
        type="text"
        role="combobox"
        aria-label="File or review"
        aria-expanded={matches.length > 0}
        aria-controls={id}
        aria-activedescendant={optionId(id, selected)}
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
      <Menu
        id={id}
        label="Files and reviews"
        items={matches}
        selected={selected}
        onPick={({ item }) => open(item)}
        nameOf={({ item }) => (item.note === undefined ? item.label : `${item.label}, ${item.note}`)}
      >
        {(match) => <MatchText match={match} />}
      </Menu>
      <p className={joinClasses('muted small', styles.foot)} role="status">
        {failure !== undefined
          ? `The files could not be listed: ${failure}`
          : files === undefined
            ? ''
            : `${found}${files.isTruncated ? '. Not all files are listed.' : ''}`}
      </p>
    </Dialog>
  );
}

/** The name of a file or review, with what matched in bold. */
function MatchText({ match: { item, result } }: { readonly match: QuickMatch }) {
  const Icon = item.kind === 'review' ? FileDiff : File;
  const name = fileName(item.label);
  return (
    <>
      <Icon size={16} aria-hidden="true" />
      <span className="grow truncate">
        {result === undefined ? (
          <>
            <span className="muted">{item.label.slice(0, -name.length)}</span>
            {name}
          </>
        ) : (
          highlight<ReactNode>(result, (part, index) => <mark key={`${index} ${part}`}>{part}</mark>)
        )}
      </span>
      {/* The space is invisible; a screen reader needs it. */}
      {item.note !== undefined && <span className="muted small"> {item.note}</span>}
    </>
  );
}
