import type { ChatToolCard } from '@tandem/chat/model';
import { visibleName, visibleText } from '@tandem/core';
import {
  Ban,
  Brain,
  Check,
  ChevronRight,
  CircleHelp,
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
import { memo, useState } from 'react';
import { Button, joinClasses, RowButton } from '../primitives/index.js';
import styles from './cards.module.css';
import { useChat } from './chatContext.js';
import { decisionWords, refusalWords, type ToolState, toolState, toolWords } from './chatWords.js';
import { ToolContent } from './toolContent.js';

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
