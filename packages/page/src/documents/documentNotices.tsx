import { FileWarning, FileX, Unlink } from 'lucide-react';
import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import barStyles from '../app/bar.module.css';
import { Button } from '../app/button.js';
import { useShell } from '../app/shellContext.js';
import { usePage } from '../client/pageContext.js';
import { documentTextId } from '../client/textSessions.js';
import type { PageDocument } from '../wire/index.js';
import { conflictKey } from './documentDesk.js';

interface DocumentNoticesProps {
  readonly path: string;
  readonly document: PageDocument | undefined;
  readonly detached: boolean;
  /** The text has another session: the editor is to be made again. */
  readonly onReopen: () => void;
  /** Shows the conflict; absent while it is shown. */
  readonly onCompare: (() => void) | undefined;
}

/** What a person should know about a document before they type on. */
export function DocumentNotices({ path, document, detached, onReopen, onCompare }: DocumentNoticesProps) {
  const shell = useShell();
  const { host, texts } = usePage();
  const wasRefused = useStore(shell.notices.state, ({ notices }) =>
    notices.some(({ key }) => key === conflictKey(path)),
  );
  const content = (): string | undefined => texts.get(documentTextId(path))?.content;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(content() ?? '');
    shell.notices.good('Copied.');
  };
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
      shell.notices.failure('It could not be reopened', error);
    }
  };
  return (
    <>
      {document?.hasConflict && onCompare !== undefined && (
        <Bar
          icon={<FileWarning size={16} aria-hidden="true" />}
          label="Changed on disk"
          isUrgent={wasRefused}
        >
          <p className={barStyles.text}>This file changed on disk while you were editing it.</p>
          <Button kind="primary" onClick={onCompare}>
            Compare and choose
          </Button>
        </Bar>
      )}
      {document?.isMissing && (
        <Bar icon={<FileX size={16} aria-hidden="true" />} label="Not on disk">
          <p className={barStyles.text}>This file was deleted from disk. Saving creates it again.</p>
          <Button onClick={() => void shell.desk.save(path)}>Save</Button>
        </Bar>
      )}
      {detached && (
        <Bar icon={<Unlink size={16} aria-hidden="true" />} label="Not synchronised">
          <p className={barStyles.text}>
            The companion no longer has this text. What you typed exists only here.
          </p>
          <Button onClick={() => void copy()}>Copy my text</Button>
          <Button kind="primary" onClick={() => void restore()}>
            Reopen with my text
          </Button>
        </Bar>
      )}
    </>
  );
}

interface BarProps {
  readonly icon: ReactNode;
  readonly label: string;
  /** What the person just asked for waits for it. */
  readonly isUrgent?: boolean;
  readonly children: ReactNode;
}

function Bar({ icon, label, isUrgent, children }: BarProps) {
  return (
    <section className={barStyles.bar} data-kind="warning" data-urgent={isUrgent} aria-label={label}>
      {icon}
      {children}
    </section>
  );
}
