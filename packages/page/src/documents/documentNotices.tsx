import { FileWarning, FileX, Unlink } from 'lucide-react';
import { useStore } from 'zustand';
import { useShell } from '../app/shellContext.js';
import { usePage } from '../client/pageContext.js';
import { documentTextId } from '../client/textSessions.js';
import { Banner } from '../primitives/banner.js';
import { Button } from '../primitives/button.js';
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
          actions={<Button onClick={() => void shell.desk.save(path)}>Save</Button>}
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
