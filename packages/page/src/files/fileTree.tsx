import { joinClasses, Row } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronRight, EyeOff, File, FileDiff, Folder, FolderOpen, TriangleAlert } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useActiveTab, useShell } from '../app/shell.js';
import { usePageState, usePendingByPath } from '../client/pageContext.js';
import type { PageDocument } from '../wire/index.js';
import { findTyped, revealStep, type TreeRow, treeCommand, treeRows } from './fileListing.js';
import styles from './files.module.css';

const rowPixels = 26;
const touchRowPixels = 40;
/** Letters typed within this time are one beginning of a name. */
const typeAheadMs = 700;

/** The files of the workspace, by the tree pattern of ARIA. Only the rows that can be seen are in the page. */
export function FileTree() {
  const shell = useShell();
  const listing = shell.files;
  const folders = usePageState((state) => state.host?.folders);
  const documents = usePageState((state) => state.documents);
  const tree = useStore(listing.state);
  const active = useActiveTab();
  const rows = useMemo(() => treeRows(folders ?? [], tree), [folders, tree]);
  const openPaths = useMemo(
    () => new Map(documents.map((document) => [document.path, document])),
    [documents],
  );
  const pending = usePendingByPath();
  const [focusedPath, focusPath] = useState<string>();
  const scroller = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: '', at: 0 });
  const id = useId();

  useEffect(() => {
    if (folders?.length === 1 && folders[0] !== undefined) listing.need(folders[0].path);
    // Those that were open before the page was loaded again.
    for (const row of rows) if (row.isExpanded) listing.need(row.path);
  }, [listing, folders, rows]);

  const rowHeight = window.matchMedia('(max-width: 719px), (pointer: coarse)').matches
    ? touchRowPixels
    : rowPixels;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => `${rows[index]?.kind} ${rows[index]?.path}`,
  });

  // The newly active file is revealed once: folders that the user closes later stay closed.
  const activePath = active?.kind === 'document' ? active.id : undefined;
  const wanted = useRef<{ readonly path: string; readonly opened: Set<string> }>(undefined);
  useEffect(() => {
    wanted.current = activePath === undefined ? undefined : { path: activePath, opened: new Set() };
  }, [activePath]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list draws itself again for every key, and is the same.
  useEffect(() => {
    if (wanted.current === undefined) return;
    const { path, opened } = wanted.current;
    const step = revealStep(rows, path);
    if (step?.kind === 'show') {
      wanted.current = undefined;
      focusPath(path);
      virtualizer.scrollToIndex(step.index);
    } else if (step !== undefined && !opened.has(step.folder)) {
      opened.add(step.folder);
      listing.toggle(step.folder, true);
    }
  }, [rows, listing, activePath]);

  const found = rows.findIndex(({ path }) => path === focusedPath);
  const focused = Math.max(found, 0);
  const goTo = (index: number): void => {
    const row = rows[index];
    if (row === undefined) return;
    focusPath(row.path);
    virtualizer.scrollToIndex(index);
  };
  const run = (row: TreeRow): void => {
    focusPath(row.path);
    if (row.kind === 'failure') listing.retry(row.path);
    else if (row.kind === 'folder') listing.toggle(row.path, !row.isExpanded);
    else void shell.openDocument(row.path);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[focused];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1;
    const command = treeCommand(event.key, rows, focused, Math.max(page, 1));
    if (command !== undefined) {
      if (command.kind === 'go') goTo(command.to);
      else if (command.kind === 'run') run(row);
      else listing.toggle(row.path, command.isExpanded);
      event.preventDefault();
    } else if (event.key.length === 1) {
      const isMore = event.timeStamp - typed.current.at < typeAheadMs;
      typed.current = { text: (isMore ? typed.current.text : '') + event.key, at: event.timeStamp };
      goTo(findTyped(rows, typed.current.text, focused));
      event.preventDefault();
    }
  };

  if (folders === undefined) return null;
  if (folders.length === 0) return <p className={joinClasses('muted', styles.message)}>No folder is open.</p>;
  const isListed = folders.length > 1 || tree.entries.has(folders[0]?.path ?? '');
  if (isListed && rows.length === 0)
    return <p className={joinClasses('muted', styles.message)}>This folder is empty.</p>;
  return (
    <div
      ref={scroller}
      className={joinClasses('scrolls', styles.tree)}
      role="tree"
      aria-label="Files"
      aria-busy={!isListed}
      aria-activedescendant={rows.length > 0 ? `${id}-${focused}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div className={styles.all} role="presentation" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start, size }) => {
          const row = rows[index];
          return (
            row !== undefined && (
              <FileTreeRow
                key={key}
                id={`${id}-${index}`}
                row={row}
                top={start}
                height={size}
                isFocused={index === focused}
                isActive={active?.kind === 'document' && active.id === row.path}
                document={openPaths.get(row.path)}
                proposals={row.kind === 'file' ? (pending.get(row.path)?.length ?? 0) : 0}
                onRun={() => run(row)}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

interface FileTreeRowProps {
  readonly id: string;
  readonly row: TreeRow;
  readonly top: number;
  readonly height: number;
  /** The keys are about it. */
  readonly isFocused: boolean;
  /** Its tab is active. */
  readonly isActive: boolean;
  /** Its document, where it is open. */
  readonly document: PageDocument | undefined;
  /** How many proposals for it are pending. */
  readonly proposals: number;
  readonly onRun: () => void;
}

/** One line of the tree. The tree has the focus and the keys; the mouse comes here. */
function FileTreeRow({
  id,
  row,
  top,
  height,
  isFocused,
  isActive,
  document,
  proposals,
  onRun,
}: FileTreeRowProps) {
  const name = row.kind === 'failure' ? `${visibleName(row.name)} Select to retry.` : visibleName(row.name);
  const heldBack =
    row.heldBack === undefined ? undefined : `Hidden from agents: ${visibleName(row.heldBack)}`;
  const pending = proposals > 0 && (proposals === 1 ? 'proposal pending' : `${proposals} proposals pending`);
  const facts = [
    name,
    heldBack,
    pending,
    document?.isDirty && 'unsaved changes',
    document !== undefined && 'open',
  ];
  const Icon =
    row.kind === 'failure'
      ? TriangleAlert
      : row.kind === 'file'
        ? File
        : row.isExpanded
          ? FolderOpen
          : Folder;
  return (
    <Row
      id={id}
      className={joinClasses(
        styles.file,
        isFocused && styles.focused,
        document !== undefined && styles.open,
        row.heldBack !== undefined && 'muted',
        row.heldBack !== undefined && styles.heldBack,
      )}
      style={{ top, height, paddingLeft: 8 + (row.level - 1) * 14 }}
      role="treeitem"
      aria-level={row.level}
      aria-setsize={row.siblings}
      aria-posinset={row.place}
      aria-expanded={row.kind === 'folder' ? row.isExpanded : undefined}
      aria-selected={isActive}
      aria-label={facts.filter((fact) => typeof fact === 'string').join(', ')}
      title={[visibleName(row.path), heldBack, pending].filter(Boolean).join('\n')}
      onClick={onRun}
    >
      {row.kind === 'folder' ? (
        <ChevronRight size={14} className="chevron" aria-hidden="true" />
      ) : (
        <span className={styles.noChevron} />
      )}
      <Icon size={16} aria-hidden="true" />
      <span className="grow truncate">{name}</span>
      {proposals > 0 && <FileDiff size={14} className={styles.proposal} aria-hidden="true" />}
      {document?.isDirty && <span className={styles.dirty} aria-hidden="true" />}
      {row.heldBack !== undefined && <EyeOff size={14} aria-hidden="true" />}
    </Row>
  );
}
