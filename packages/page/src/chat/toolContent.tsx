import type { ChatToolContent } from '@tandem/chat/model';
import { visibleName, visibleText } from '@tandem/core';
import { FileDiff } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Badge, Button, joinClasses, Spacer } from '../primitives/index.js';
import { ChangeCounts } from '../review/reviewParts.js';
import styles from './cards.module.css';
import { useChat } from './chatContext.js';
import { diffRows } from './diffRows.js';

interface ToolContentProps {
  readonly content: readonly ChatToolContent[];
  readonly toolCallId?: string | undefined;
  /** Lines that are shown at first. */
  readonly lines: number;
}

/** The result or the intended change of a tool. */
export function ToolContent({ content, toolCallId, lines }: ToolContentProps) {
  return content.map((each, index) => {
    // The content is only replaced as a whole.
    const key = `${index} ${each.type}`;
    if (each.type === 'diff') return <Diff key={key} diff={each} toolCallId={toolCallId} lines={lines} />;
    if (each.type === 'text') return <Output key={key} text={each.text} lines={lines} />;
    return <Picture key={key} {...each} />;
  });
}

type DiffContent = Extract<ChatToolContent, { type: 'diff' }>;
const signs = { same: ' ', added: '+', removed: '−', gap: '⋯' };

function Diff({
  diff,
  toolCallId,
  lines,
}: { readonly diff: DiffContent } & Omit<ToolContentProps, 'content'>) {
  const { host, panel } = useChat();
  const { path, oldText, newText } = diff;
  const { rows, added, removed, isCut } = useMemo(
    () => diffRows(oldText ?? '', newText, lines),
    [oldText, newText, lines],
  );
  const label = visibleName(host.labelOf(path));
  const open = (): void =>
    void panel.attempt('The diff was not opened', () =>
      host.openDiff({
        path,
        newText,
        ...(oldText !== undefined && { oldText }),
        ...(toolCallId !== undefined && { toolCallId }),
      }),
    );
  return (
    <fieldset className={styles.box} aria-label={`Change to ${label}`}>
      <div className={joinClasses('line wraps', styles.bar)}>
        <strong className={styles.file} title={visibleName(path)}>
          {label}
        </strong>
        {oldText === undefined && <Badge>new</Badge>}
        <ChangeCounts change={{ added, removed }} />
        <Spacer />
        <Button icon={FileDiff} onClick={open}>
          Open diff
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard. */}
      <pre className={styles.rows} tabIndex={0}>
        {rows.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of one diff do not change.
          <span key={index} className={styles.row} data-kind={kind}>
            <span className={styles.sign} aria-hidden="true">
              {signs[kind]}
            </span>
            {kind !== 'same' && kind !== 'gap' && <span className="visually-hidden">{kind}: </span>}
            {visibleText(text)}
            {'\n'}
          </span>
        ))}
      </pre>
      {isCut && (
        <p className={joinClasses('muted small', styles.more)}>
          More lines change. Open the diff to see them all.
        </p>
      )}
    </fieldset>
  );
}

function Output({ text, lines }: { readonly text: string; readonly lines: number }) {
  const [showsAll, setShowsAll] = useState(false);
  const trimmed = visibleText(text.replace(/\s+$/, ''));
  if (trimmed === '') return null;
  const all = trimmed.split('\n');
  const isCut = !showsAll && (all.length > lines || trimmed.length > longestOutput);
  const shown = isCut ? all.slice(0, lines).join('\n').slice(0, longestOutput) : trimmed;
  return (
    <div className={styles.box}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard. */}
      <pre className={styles.text} tabIndex={0}>
        {shown}
      </pre>
      {isCut && (
        <Button kind="link" className={styles.more} onClick={() => setShowsAll(true)}>
          {all.length > lines ? `Show all ${all.length} lines` : 'Show all'}
        </Button>
      )}
    </div>
  );
}

const longestOutput = 20_000;

function Picture({ mimeType, data }: { readonly mimeType: string; readonly data: string }) {
  if (!/^image\/(png|jpeg|gif|webp)$/.test(mimeType) || data === '') {
    return <p className={joinClasses('muted small', styles.more)}>[picture: {visibleName(mimeType)}]</p>;
  }
  return <img className={styles.picture} src={`data:${mimeType};base64,${data}`} alt="From the tool" />;
}
