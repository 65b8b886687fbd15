import { Banner, Button, EmptyState, ErrorBoundary, joinClasses } from '@tandem/chat-panel/primitives';
import { messageOf, visibleName } from '@tandem/core';
import { FileWarning, FileX, Unlink } from 'lucide-react';
import { useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useShell } from '../app/shell.js';
import { documentTab } from '../app/tabList.js';
import { usePage, usePageState } from '../client/pageContext.js';
import { copyText } from '../client/textOutput.js';
import { documentTextId } from '../client/textSessions.js';
import type { PageDocument } from '../wire/index.js';
import { ConflictView } from './conflictView.js';
import { DocumentBar } from './documentBar.js';
import { conflictKey } from './documentCommands.js';
import styles from './documents.module.css';
import { useDocumentEditor } from './useDocumentEditor.js';

/** This many editors stay alive in the background; others are created again at their last position. */
const mostAlive = 8;

/** The recently active documents; the active one is visible. */
export function DocumentStack({ activePath }: { readonly activePath: string | undefined }) {
  const shell = useShell();
  const tabs = useStore(shell.tabs.state, (state) => state.tabs);
  const recent = useRef<readonly string[]>([]);
  const isOpen = (path: string): boolean => tabs.some(({ kind, id }) => kind === 'document' && id === path);
  const others = recent.current.filter((path) => path !== activePath && isOpen(path));
  const latest = activePath === undefined ? others : [activePath, ...others];
  recent.current = latest.slice(0, mostAlive);
  // In an order that does not depend on the active tab, so that no editor is moved in the page.
  const alive = [...recent.current].sort();
  return alive.map((path) => (
    <div key={path} className="fill" hidden={path !== activePath}>
      <ErrorBoundary name="This file">
        <DocumentView path={path} isActive={path === activePath} />
      </ErrorBoundary>
    </div>
  ));
}

interface DocumentViewProps {
  readonly path: string;
  /** Whether its tab is active. */
  readonly isActive: boolean;
}

/** One open document: its bar, its notices and its editor. */
function DocumentView({ path, isActive }: DocumentViewProps) {
  const document = usePageState(({ documents }) => documents.find((candidate) => candidate.path === path));
  const shell = useShell();
  const [wantsComparison, setComparing] = useState(false);
  const isComparing = wantsComparison && document?.hasConflict === true;
  const beginComparing = (): void => {
    setComparing(true);
    shell.notices.dismiss(conflictKey(path));
  };
  const endComparing = (): void => {
    setComparing(false);
    shell.tabs.activate(documentTab(path).key, { takesFocus: true });
  };
  // The tab may exist before and after the host lists the document. The edited text stays.
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
      <EmptyState title={visibleName(document.label)}>
        <p>
          {document.kind === 'binary'
            ? 'This file is binary, so it is not shown here. Agents see that it is open.'
            : 'This file is too large to edit here. Agents see that it is open.'}
        </p>
      </EmptyState>
    );
  }
  return (
    <div className={joinClasses('stack', styles.view)}>
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
        <EmptyState role="alert" title={`${label} cannot be shown`}>
          <p>{failure}</p>
          <Button onClick={reopen}>Retry</Button>
        </EmptyState>
      )}
      <div ref={parent} className="grow" hidden={isComparing || failure !== undefined} />
    </div>
  );
}

interface DocumentNoticesProps {
  readonly path: string;
  readonly document: PageDocument | undefined;
  readonly detached: boolean;
  /** The text has a new session, which needs a new editor. */
  readonly onReopen: () => void;
  /** Shows the conflict; absent while it is shown. */
  readonly onCompare: (() => void) | undefined;
}

/** Problems of a document, and what to do about them. */
function DocumentNotices({ path, document, detached, onReopen, onCompare }: DocumentNoticesProps) {
  const shell = useShell();
  const { host, texts } = usePage();
  const wasRefused = useStore(shell.notices.state, ({ notices }) =>
    notices.some(({ key }) => key === conflictKey(path)),
  );
  const content = (): string | undefined => texts.get(documentTextId(path))?.content;
  const copy = (): Promise<void> =>
    copyText(content() ?? '').then(
      () => shell.notices.good('Copied.'),
      (error: unknown) => shell.notices.error(messageOf(error)),
    );
  const restore = async (): Promise<void> => {
    const id = documentTextId(path);
    const old = texts.get(id);
    if (old === undefined) return;
    const sent = old.content;
    try {
      await host.request('document.restore', { path, content: sent });
      texts.forget(id);
      const fresh = await texts.open(id);
      // What was typed meanwhile.
      if (old.content !== sent) fresh.replace(old.content);
      onReopen();
    } catch (error) {
      shell.notices.failure('The file could not be reopened', error);
    }
  };
  return (
    <>
      {document?.hasConflict && onCompare !== undefined && (
        <Banner
          kind="warning"
          icon={FileWarning}
          label="Changed on disk"
          isUrgent={wasRefused}
          actions={
            <Button kind="primary" onClick={onCompare}>
              Compare and choose
            </Button>
          }
        >
          This file changed on disk while you were editing it.
        </Banner>
      )}
      {document?.isMissing && (
        <Banner
          kind="warning"
          icon={FileX}
          label="Not on disk"
          actions={<Button onClick={() => void shell.documentCommands.save(path)}>Save</Button>}
        >
          This file was deleted from disk. Saving creates it again.
        </Banner>
      )}
      {detached && (
        <Banner
          kind="warning"
          icon={Unlink}
          label="Not synchronised"
          actions={
            <>
              <Button onClick={() => void copy()}>Copy my text</Button>
              <Button kind="primary" onClick={() => void restore()}>
                Reopen with my text
              </Button>
            </>
          }
        >
          The companion no longer has this text. What you typed exists only here.
        </Banner>
      )}
    </>
  );
}
