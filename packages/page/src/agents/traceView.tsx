import { Button, Choice, joinClasses, Select } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Copy, Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useShell } from '../app/shell.js';
import { usePage } from '../client/pageContext.js';
import { downloadText } from '../client/textOutput.js';
import type { PageExchange } from '../wire/index.js';
import styles from './agents.module.css';

const rowPixels = 30;
/** A scroll position this close to the end follows new messages. */
const nearEndPixels = 2 * rowPixels;

/** The messages between agents and the companion: a timeline of requests with their answers. */
export function TraceView() {
  const all = useExchanges();
  const [agent, setAgent] = useState('');
  const agents = [...new Map(all.map((each) => [each.agent, each.agentName]))];
  const [showsPings, setShowsPings] = useState(false);
  const isShown = (each: PageExchange): boolean =>
    (agent === '' || each.agent === agent) && (showsPings || each.method !== 'ping');
  const shown = all.filter(isShown);
  return (
    <div className={joinClasses('stack grow', styles.trace)}>
      <TraceBar
        agents={agents}
        agent={agent}
        onAgent={setAgent}
        showsPings={showsPings}
        onPings={setShowsPings}
        count={shown.length}
      />
      {shown.length === 0 ? <p className="muted">No messages yet.</p> : <ExchangeList exchanges={shown} />}
    </div>
  );
}

interface TraceBarProps {
  readonly agents: readonly (readonly [string, string])[];
  readonly agent: string;
  readonly onAgent: (agent: string) => void;
  readonly showsPings: boolean;
  readonly onPings: (showsPings: boolean) => void;
  readonly count: number;
}

function TraceBar({ agents, agent, onAgent, showsPings, onPings, count }: TraceBarProps) {
  const { services, notices } = useShell();
  const report = async (): Promise<string> => {
    const about = agent === '' ? {} : { agent };
    return (await services.host.request('trace.report', about)).text;
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await report());
      notices.good(
        'The report was copied. It contains no tokens and no file contents. Check it before you share it.',
      );
    } catch (error) {
      notices.failure('The report could not be copied', error);
    }
  };
  const save = async (): Promise<void> => {
    try {
      downloadText('tandem-messages.md', await report());
    } catch (error) {
      notices.failure('The report could not be saved', error);
    }
  };
  return (
    <div className="line wraps">
      <Select label="Agent" value={agent} onChange={(event) => onAgent(event.target.value)}>
        <option value="">All</option>
        {agents.map(([key, name]) => (
          <option key={key} value={key}>
            {visibleName(name)}
          </option>
        ))}
      </Select>
      <Choice
        type="checkbox"
        checked={showsPings}
        onChange={(event) => onPings(event.target.checked)}
        title="Pings"
      />
      <span className="grow muted">
        {count} {count === 1 ? 'exchange' : 'exchanges'}
      </span>
      <Button icon={Copy} onClick={() => void copy()}>
        Copy redacted report
      </Button>
      <Button icon={Download} onClick={() => void save()}>
        Save redacted report
      </Button>
    </div>
  );
}

function ExchangeList({ exchanges }: { readonly exchanges: readonly PageExchange[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const virtualizer = useVirtualizer({
    count: exchanges.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPixels,
    overscan: 10,
  });
  const last = exchanges.length - 1;
  useEffect(() => {
    if (isAtEnd.current && last >= 0) virtualizer.scrollToIndex(last);
  }, [virtualizer, last]);
  return (
    <section
      ref={scroller}
      className={joinClasses('grow scrolls', styles.scroller)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by the keyboard.
      tabIndex={0}
      aria-label="Timeline of messages"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEndPixels;
      }}
    >
      <ol className={styles.exchanges} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const exchange = exchanges[index];
          return (
            exchange && (
              <ExchangeRow
                key={exchange.id}
                exchange={exchange}
                position={index + 1}
                of={exchanges.length}
                top={start}
              />
            )
          );
        })}
      </ol>
    </section>
  );
}

interface ExchangeRowProps {
  readonly exchange: PageExchange;
  /** Counted from 1; rows that cannot be seen are not in the page. */
  readonly position: number;
  readonly of: number;
  readonly top: number;
}

function ExchangeRow({ exchange, position, of, top }: ExchangeRowProps) {
  const { at, agentName, from, method, detail, answer } = exchange;
  const what = [method, detail].filter((each) => each !== undefined).join(' ');
  return (
    <li
      aria-posinset={position}
      aria-setsize={of}
      className={joinClasses('small', styles.exchange)}
      style={{ height: rowPixels, transform: `translateY(${top}px)` }}
      data-kind={answer?.isError ? 'error' : undefined}
    >
      <time className={joinClasses(styles.time, 'muted')} dateTime={new Date(at).toISOString()}>
        {timeOfDay(at)}
      </time>
      <strong className="truncate">{visibleName(agentName)}</strong>
      <span className="muted">
        <span aria-hidden="true">{from === 'agent' ? '→' : '←'}</span>
        <span className="visually-hidden">{from === 'agent' ? 'from the agent' : 'to the agent'}</span>
      </span>
      <span className="truncate" title={visibleName(what)}>
        <strong>{visibleName(method)}</strong> {detail !== undefined && visibleName(detail)}
      </span>
      <span className={styles.outcome}>{outcome(exchange)}</span>
    </li>
  );
}

function outcome({ kind, answer }: PageExchange): string {
  if (answer === undefined) return kind === 'request' ? 'pending' : '';
  const { isError, says, afterMs } = answer;
  return [
    ...(isError ? ['✗'] : []),
    ...(says !== undefined ? [visibleName(says)] : isError ? ['error'] : []),
    ...(afterMs === undefined ? [] : [duration(afterMs)]),
  ].join(' ');
}

function duration(milliseconds: number): string {
  return milliseconds < 10_000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 1000)} s`;
}

function timeOfDay(at: number): string {
  const date = new Date(at);
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** Messages come in bursts. */
const askMs = 1_000;

/** The messages so far, read repeatedly while this is shown. */
export function useExchanges(): readonly PageExchange[] {
  const { host } = usePage();
  const [exchanges, setExchanges] = useState<readonly PageExchange[]>([]);
  useEffect(() => {
    let isOver = false;
    let version: string | undefined;
    let timer: number | undefined;
    const ask = async (): Promise<void> => {
      try {
        const answer = await host.request('trace.read', version === undefined ? {} : { version });
        if (isOver) return;
        version = answer.version;
        if (answer.exchanges !== undefined) setExchanges(answer.exchanges);
      } catch {
        // The page reports a lost connection by itself; the last messages stay.
      }
      if (!isOver) timer = window.setTimeout(() => void ask(), askMs);
    };
    void ask();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [host]);
  return exchanges;
}
