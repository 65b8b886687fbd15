import { useEffect, useState } from 'react';
import { usePage } from '../client/pageContext.js';
import type { PageExchange } from '../wire/index.js';

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
