import type { ChatToolCard, ChatToolContent } from '@tandem/chat/model';
import { visibleName, visibleText } from '@tandem/core';
import {
  Ban,
  Brain,
  Check,
  ChevronRight,
  CircleHelp,
  FileDiff,
  FilePen,
  FileText,
  Globe,
  LoaderCircle,
  type LucideIcon,
  Search,
  SquareTerminal,
  TriangleAlert,
  Wrench,
} from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import { diffRows } from '../code/lineDiff.js';
import { Badge, Button, ChangeCounts, joinClasses, RowButton, Spacer } from '../primitives/index.js';
import styles from './cards.module.css';
import { decisionWords, refusalWords, type ToolState, toolState, toolWords } from './chatWords.js';
import { useChat } from './panelState.js';

const kindIcons: Readonly<Record<string, LucideIcon>> = {
  edit: FilePen,
  delete: FilePen,
  move: FilePen,
  execute: SquareTerminal,
  read: FileText,
  search: Search,
  fetch: Globe,
  think: Brain,
};

/** A tool call with its state and, expanded, its result. A change of a file is expanded at first. */
export const ToolCard = memo(function ToolCard({ card }: { readonly card: ChatToolCard }) {
  const hasDiff = card.content.some(({ type }) => type === 'diff');
  const [isOpen, setOpen] = useState<boolean>();
  const { host, panel } = useChat();
  const Icon = kindIcons[card.toolKind] ?? Wrench;
  const title = visibleName(card.title || card.toolName || 'A tool');
  const input = inputText(card);
  const { refusal } = card;
  const state = toolState(card);
  const hasMore =
    card.content.length > 0 || card.locations.length > 0 || input !== undefined || refusal !== undefined;
  // A pending request has a card of its own.
  const isShown =
    isOpen ?? ((hasDiff || state.kind === 'failed' || refusal !== undefined) && card.requestId === undefined);
  const words = decisionWords(card);
  return (
    <article
      className={joinClasses(styles.box, styles.tool)}
      data-status={card.status}
      aria-label={`Tool: ${title}, ${toolWords(card)}`}
    >
      <RowButton
        icon={Icon}
        aria-expanded={hasMore ? isShown : undefined}
        disabled={!hasMore}
        onClick={() => setOpen(!isShown)}
      >
        <span className={joinClasses('grow truncate', styles.title)}>{title}</span>
        {words !== undefined && <span className="muted">{words}</span>}
        <Status state={state} hasWords={state.kind !== 'declined' || words === undefined} />
        {hasMore && <ChevronRight size={14} className="chevron" aria-hidden="true" />}
      </RowButton>
      {isShown && hasMore && (
        <div className={joinClasses('stack', styles.body)}>
          {refusal !== undefined && <p>{refusalWords(refusal)}</p>}
          {input !== undefined && <pre className={styles.text}>{visibleText(input)}</pre>}
          <ToolContent content={card.content} toolCallId={card.toolCallId} lines={16} />
          {!hasDiff && card.locations.length > 0 && (
            <ul className={joinClasses('line wraps', styles.locations)}>
              {card.locations.map(({ path, line }) => (
                <li key={`${path} ${line}`}>
                  <Button
                    kind="link"
                    onClick={() =>
                      void panel.attempt('The file was not opened', () => host.openFile(path, line))
                    }
                  >
                    {visibleName(host.labelOf(path))}
                    {line !== undefined && `:${line}`}
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </article>
  );
});

const stateSigns: Readonly<Record<ToolState['kind'], { icon: LucideIcon; kind?: string }>> = {
  asks: { icon: CircleHelp, kind: 'warning' },
  declined: { icon: Ban },
  pending: { icon: LoaderCircle },
  in_progress: { icon: LoaderCircle },
  completed: { icon: Check, kind: 'good' },
  failed: { icon: TriangleAlert, kind: 'error' },
};

function Status({ state, hasWords }: { readonly state: ToolState; readonly hasWords: boolean }) {
  const { kind, words } = state;
  const sign = stateSigns[kind];
  return (
    <span className={joinClasses('line', styles.status)} data-kind={sign.kind}>
      <sign.icon size={14} className={kind === 'in_progress' ? 'spins' : undefined} aria-hidden="true" />
      {hasWords && <span className={kind === 'completed' ? 'visually-hidden' : undefined}>{words}</span>}
    </span>
  );
}

/** The command of a shell. The title or the diff contains other arguments. */
function inputText({ input, toolKind }: ChatToolCard): string | undefined {
  if (toolKind !== 'execute' || typeof input !== 'object' || input === null || !('command' in input)) {
    return undefined;
  }
  return typeof input.command === 'string' ? `$ ${input.command}` : undefined;
}

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
