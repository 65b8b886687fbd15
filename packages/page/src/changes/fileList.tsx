import { ChangeCounts, RowButton } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { fileName } from '../app/tabList.js';
import type { PageChange } from '../wire/index.js';
import { changeKey } from './changeFile.js';
import styles from './changes.module.css';

interface FileListProps {
  /** In the order of the page. */
  readonly files: readonly PageChange[];
  /** Goes to one of them, by its index. */
  readonly onGo: (index: number) => void;
}

/** The changed files beside their diffs, where there is room and more than one: a press goes to the diff. */
export function FileList({ files, onGo }: FileListProps) {
  if (files.length < 2) return null;
  return (
    <nav className={styles.list} aria-label="Changed files">
      <ul>
        {files.map((change, index) => {
          const label = visibleName(change.label);
          return (
            <li key={changeKey(change)}>
              <RowButton title={label} aria-label={`Go to ${label}`} onClick={() => onGo(index)}>
                <span className="grow truncate">{fileName(label)}</span>
                {!change.isAbsent && (
                  <ChangeCounts
                    change={{ ...change, isBinary: [change.before, change.now].includes('binary') }}
                  />
                )}
              </RowButton>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
