import type { ChatItem, ChatUserMessage } from '@tandem/chat/model';
import { visibleName } from '@tandem/core';
import { Brain, ChevronRight, Info, LoaderCircle, Pencil, RotateCw } from 'lucide-react';
import { memo, useState } from 'react';
import { Badge, Banner, Button, IconButton, joinClasses, RowButton } from '../primitives/index.js';
import { Markdown } from './markdown.js';
import styles from './messages.module.css';
import { useChat, useModel } from './panelState.js';
import { ToolCard } from './toolCard.js';

interface MessageRowProps {
  readonly item: ChatItem;
  readonly isStreaming: boolean;
  /** Whether it is the last item, so that an error can be retried. */
  readonly isLast: boolean;
}

/** One item of the conversation. */
export const MessageRow = memo(function MessageRow({ item, isStreaming, isLast }: MessageRowProps) {
  switch (item.kind) {
    case 'user':
      return <UserMessage item={item} />;
    case 'assistant':
      return (
        <article aria-label="Qwen">
          <Markdown text={item.text} isStreaming={isStreaming} />
        </article>
      );
    case 'thought':
      return <Thought text={item.text} isStreaming={isStreaming} />;
    case 'tool':
      return <ToolCard card={item} />;
    case 'error':
      return <ErrorRow text={item.text} canRetry={item.isRetryable && isLast} />;
    case 'notice':
      return (
        <p className="line muted small">
          <Info size={13} aria-hidden="true" />
          {visibleName(item.text)}
        </p>
      );
  }
});

function UserMessage({ item }: { readonly item: ChatUserMessage }) {
  const { panel } = useChat();
  const { text, attached } = withoutAttachments(item.text);
  const edit = (): void => {
    panel.set({ draft: text, mentions: [], images: [], edited: item.id, view: 'chat' });
    panel.focusComposer();
  };
  return (
    <article className={styles.user} aria-label="You">
      <div className={styles.said}>{text}</div>
      {attached.length > 0 && (
        <ul className={joinClasses('line wraps', styles.attached)} aria-label="Attached">
          {attached.map((name) => (
            <li key={name}>
              <Badge>{visibleName(name)}</Badge>
            </li>
          ))}
        </ul>
      )}
      {item.images.length > 0 && (
        <div className={joinClasses('line wraps', styles.attached)}>
          {item.images.map(({ mimeType, data }, index) =>
            data === '' || !/^image\/(png|jpeg|gif|webp)$/.test(mimeType) ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pictures of a message do not change.
              <Badge key={index}>picture</Badge>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pictures of a message do not change.
              <img key={index} src={`data:${mimeType};base64,${data}`} alt={`Sent, number ${index + 1}`} />
            ),
          )}
        </div>
      )}
      <IconButton icon={Pencil} label="Edit and send again" className={styles.edit} onClick={edit} />
    </article>
  );
}

/** The daemon echoes attached files as lines after the text. */
function withoutAttachments(text: string): {
  readonly text: string;
  readonly attached: readonly string[];
} {
  const lines = text.split('\n');
  const attached: string[] = [];
  while (lines.length > 1 && /^@\S/.test(lines.at(-1) ?? '')) attached.unshift((lines.pop() ?? '').slice(1));
  return {
    text: lines.join('\n'),
    attached: [...new Set(attached.map((name) => name.replace(/^file:\/\//, '')))],
  };
}

function Thought({ text, isStreaming }: { readonly text: string; readonly isStreaming: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <RowButton icon={Brain} className="muted small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isStreaming ? 'Thinking…' : 'Thought'}
        <ChevronRight size={14} className="chevron" aria-hidden="true" />
      </RowButton>
      {isOpen && (
        <div className={joinClasses('muted small', styles.thinking)}>
          <Markdown text={text} isStreaming={isStreaming} />
        </div>
      )}
    </>
  );
}

function ErrorRow({ text, canRetry }: { readonly text: string; readonly canRetry: boolean }) {
  const { host, panel } = useChat();
  return (
    <article aria-label="Error">
      <Banner
        kind="error"
        shape="inset"
        actions={
          canRetry && (
            <Button
              icon={RotateCw}
              onClick={() =>
                void panel.attempt('The message was not sent again', () => host.call('chat.retry', {}))
              }
            >
              Retry
            </Button>
          )
        }
      >
        <p className={styles.said}>{visibleName(text).replaceAll('\u240a', '\n')}</p>
      </Banner>
    </article>
  );
}

/** The state of a running turn, or a message that is being sent. */
export function WorkingRow({ sending }: { readonly sending: string | undefined }) {
  const state = useModel(({ turn }) => turn.state);
  const waiting = useModel(({ pending }) => pending.length);
  if (sending !== undefined) {
    return (
      <article className={styles.user} aria-label="Sending">
        <div className={styles.said}>{sending || 'A picture'}</div>
        <p className="line muted small">
          <LoaderCircle size={13} className="spins" aria-hidden="true" />
          Sending…
        </p>
      </article>
    );
  }
  const text = state === 'stopping' ? 'Stopping…' : waiting > 0 ? 'Waiting for your answer' : 'Working…';
  return (
    <p className="line muted small">
      <span className={styles.pulse} data-still={waiting > 0} aria-hidden="true" />
      {text}
    </p>
  );
}
