import { visibleName } from '@tandem/core';
import { ChevronRight, EyeOff, File, FileDiff, Folder, FolderOpen, TriangleAlert } from 'lucide-react';
import { joinClasses } from '../primitives/joinClasses.js';
import type { PageDocument } from '../wire/index.js';
import styles from './fileTree.module.css';
import type { TreeRow } from './treeRows.js';

interface FileTreeRowProps {
  readonly id: string;
  readonly row: TreeRow;
  readonly top: number;
  readonly height: number;
  /** The keys are about it. */
  readonly isFocused: boolean;
  /** Its tab is in front. */
  readonly isInFront: boolean;
  /** Its document, where it is open. */
  readonly document: PageDocument | undefined;
  /** How many proposals for it are pending. */
  readonly proposals: number;
  readonly onRun: () => void;
}

/** One line of the tree. The tree has the focus and the keys; the mouse comes here. */
export function FileTreeRow({
  id,
  row,
  top,
  height,
  isFocused,
  isInFront,
  document,
  proposals,
  onRun,
}: FileTreeRowProps) {
  const name =
    row.kind === 'failure' ? `Cannot be listed: ${visibleName(row.name)} Try again` : visibleName(row.name);
  const heldBack = row.heldBack === undefined ? undefined : `Held back: ${visibleName(row.heldBack)}`;
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
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active row.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys.
    <div
      id={id}
      className={joinClasses(
        styles.row,
        isFocused && styles.focused,
        isInFront && styles.inFront,
        document !== undefined && styles.open,
        row.heldBack !== undefined && styles.heldBack,
      )}
      style={{ top, height, paddingLeft: 8 + (row.level - 1) * 14 }}
      role="treeitem"
      aria-level={row.level}
      aria-setsize={row.siblings}
      aria-posinset={row.place}
      aria-expanded={row.kind === 'folder' ? row.isExpanded : undefined}
      aria-selected={isInFront}
      aria-label={facts.filter((fact) => typeof fact === 'string').join(', ')}
      title={[visibleName(row.path), heldBack, pending].filter(Boolean).join('\n')}
      onClick={onRun}
    >
      {row.kind === 'folder' ? (
        <ChevronRight size={14} className={styles.chevron} data-open={row.isExpanded} aria-hidden="true" />
      ) : (
        <span className={styles.noChevron} />
      )}
      <Icon size={15} className={styles.icon} aria-hidden="true" />
      <span className={styles.name}>{name}</span>
      {proposals > 0 && <FileDiff size={14} className={styles.proposal} aria-hidden="true" />}
      {document?.isDirty && <span className={styles.dirty} aria-hidden="true" />}
      {row.heldBack !== undefined && <EyeOff size={13} className={styles.icon} aria-hidden="true" />}
    </div>
  );
}
