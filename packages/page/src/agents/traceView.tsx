import { visibleName } from '@tandem/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Copy, Download } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useShell } from '../app/shellContext.js';
import { usePage } from '../client/pageContext.js';
import { Button } from '../primitives/button.js';
import type { PageExchange } from '../wire/index.js';
import styles from './traceView.module.css';

const rowPixels = 30;
/** Who is so near to the end wants to stay there when more comes. */
const nearEndPixels = 2 * rowPixels;

/** The messages between agents and the companion: a timeline in which each request stands with its answer. */
export function TraceView() {
  const all = useExchanges();
  const [agent, setAgent] = useState('');
  const agents = [...new Map(all.map((each) => [each.agent, each.agentName]))];
  const [showsPings, setShowsPings] = useState(false);
  const isShown = (each: PageExchange): boolean =>
    (agent === '' || each.agent === agent) && (showsPings || each.method !== 'ping');
  const shown = all.filter(isShown);
  return (
    <div className={styles.trace}>
      <TraceBar
        agents={agents}
        agent={agent}
        onAgent={setAgent}
        showsPings={showsPings}
        onPings={setShowsPings}
        count={shown.length}
      />
      {shown.length === 0 ? (
        <p className={styles.empty}>No messages yet.</p>
      ) : (
        <ExchangeList exchanges={shown} />
      )}
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
  const id = useId();
  const report = async (): Promise<string> => {
    const about = agent === '' ? {} : { agent };
    return (await services.host.request('trace.report', about)).text;
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await report());
      notices.good(
        'The report was copied. It contains no tokens and no file contents; review it before you share it.',
      );
    } catch (error) {
      notices.failure('The report could not be copied', error);
    }
  };
  const save = async (): Promise<void> => {
    try {
      const url = URL.createObjectURL(new Blob([await report()], { type: 'text/markdown' }));
      const link = document.createElement('a');
      link.href = url;
      link.download = 'tandem-messages.md';
      link.click();
      URL.revokeObjectURL(url);
    } catch (error) {
      notices.failure('The report could not be saved', error);
    }
  };
  return (
    <div className={styles.bar}>
      <label htmlFor={id}>Agent</label>
      <select
        id={id}
        className={styles.select}
        value={agent}
        onChange={(event) => onAgent(event.target.value)}
      >
        <option value="">All</option>
        {agents.map(([key, name]) => (
          <option key={key} value={key}>
            {visibleName(name)}
          </option>
        ))}
      </select>
      <label>
        <input type="checkbox" checked={showsPings} onChange={(event) => onPings(event.target.checked)} />{' '}
        Pings
      </label>
      <span className={styles.count}>
        {count} {count === 1 ? 'exchange' : 'exchanges'}
      </span>
      <Button onClick={() => void copy()}>
        <Copy size={14} aria-hidden="true" /> Copy redacted report
      </Button>
      <Button onClick={() => void save()}>
        <Download size={14} aria-hidden="true" /> Save report
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
      className={styles.scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      aria-label="Timeline of messages"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEndPixels;
      }}
    >
      <ol className={styles.list} style={{ height: virtualizer.getTotalSize() }}>
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
  const { at, agent, agentName, from, method, detail, answer } = exchange;
  const what = [method, detail].filter((each) => each !== undefined).join(' ');
  return (
    <li
      aria-posinset={position}
      aria-setsize={of}
      className={styles.row}
      style={{ height: rowPixels, transform: `translateY(${top}px)` }}
      data-error={answer?.isError ?? false}
    >
      <span className={styles.time}>
        <time dateTime={new Date(at).toISOString()}>{timeOfDay(at)}</time>
      </span>
      <span className={styles.agent} data-agent={agent}>
        {visibleName(agentName)}
      </span>
      <span className={styles.arrow}>
        <span aria-hidden="true">{from === 'agent' ? '→' : '←'}</span>
        <span className="visually-hidden">{from === 'agent' ? 'from the agent' : 'to the agent'}</span>
      </span>
      <span className={styles.what} title={visibleName(what)}>
        <strong>{visibleName(method)}</strong> {detail !== undefined && visibleName(detail)}
      </span>
      <span className={styles.outcome}>{outcome(exchange)}</span>
    </li>
  );
}

function outcome({ kind, answer }: PageExchange): string {
  if (answer === undefined) return kind === 'request' ? 'waits' : '';
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

/** Messages come in bursts; whoever looks sees them soon enough. */
const askMs = 1_000;

/** The messages so far, asked for as long as somebody looks. */
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
        // The page says by itself that the companion is away; what was read stays.
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
