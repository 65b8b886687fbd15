import { visibleName } from '@tandem/core';
import { useState } from 'react';
import emptyStyles from '../app/emptyState.module.css';
import { useShell } from '../app/shellContext.js';
import { documentTab } from '../app/tabList.js';
import { usePageState } from '../client/pageContext.js';
import { Button } from '../primitives/button.js';
import { ConflictView } from './conflictView.js';
import { DocumentBar } from './documentBar.js';
import { conflictKey } from './documentDesk.js';
import { DocumentNotices } from './documentNotices.js';
import styles from './documentView.module.css';
import { useDocumentEditor } from './useDocumentEditor.js';

interface DocumentViewProps {
  readonly path: string;
  /** Whether it is in front. */
  readonly isActive: boolean;
}

/** One open document: its bar, what there is to know about it, its editor. */
export function DocumentView({ path, isActive }: DocumentViewProps) {
  const document = usePageState(({ documents }) => documents.find((candidate) => candidate.path === path));
  const shell = useShell();
  const [wantsComparison, setComparing] = useState(false);
  const isComparing = wantsComparison && document?.hasConflict === true;
  const beginComparing = (): void => {
    setComparing(true);
    // What it asks for is being done.
    shell.notices.dismiss(conflictKey(path));
  };
  const endComparing = (): void => {
    setComparing(false);
    shell.tabs.activate(documentTab(path).key, { takesFocus: true });
  };
  // The host's list can come after the tab, and go before it: what is being edited stays.
  const [isText, setText] = useState(document?.kind === 'text');
  if (document !== undefined && isText !== (document.kind === 'text')) setText(!isText);
  const label = visibleName(document?.label ?? path);
  const { parent, failure, detached, reopen } = useDocumentEditor({
    path,
    label,
    isActive: isActive && !isComparing,
    isReadOnly: document?.isReadOnly ?? false,
    isText,
  });
  if (document !== undefined && document.kind !== 'text') {
    return (
      <div className={emptyStyles.empty}>
        <h2 className={emptyStyles.title}>{visibleName(document.label)}</h2>
        <p className={emptyStyles.text}>
          {document.kind === 'binary'
            ? 'This file is not text, so it is not shown here. Agents see that it is open.'
            : 'This file is too large to edit here. Agents see that it is open.'}
        </p>
      </div>
    );
  }
  return (
    <div className={styles.view}>
      <DocumentBar path={path} label={label} document={document} />
      <DocumentNotices
        document={document}
        detached={detached}
        onReopen={reopen}
        onCompare={isComparing ? undefined : beginComparing}
        path={path}
      />
      {isComparing && <ConflictView path={path} label={label} onDone={endComparing} />}
      {failure !== undefined && (
        <div className={emptyStyles.empty} role="alert">
          <h2 className={emptyStyles.title}>{label} cannot be shown</h2>
          <p className={emptyStyles.text}>{failure}</p>
          <Button onClick={reopen}>Try again</Button>
        </div>
      )}
      <div ref={parent} className={styles.editor} hidden={isComparing || failure !== undefined} />
    </div>
  );
}
