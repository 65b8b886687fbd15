import { RpcError } from '@tandem/rpc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPageStore, type PageHost } from '../src/client/pageStore.js';
import { TextSessions } from '../src/client/textSessions.js';
import { FocusReporter, OpenEditors } from '../src/documents/openEditors.js';
import type { PageMethod, PageParams, PageResult } from '../src/wire/index.js';

/** A host that answers a request when the test says so. */
class SlowHost implements PageHost {
  readonly connection = 'open';
  /** What was asked, in the order it was. */
  readonly asked: unknown[] = [];
  readonly #open: { readonly answer: () => void; readonly fail: () => void }[] = [];

  request<M extends PageMethod>(_method: M, params: PageParams<M>): Promise<PageResult<M>> {
    this.asked.push(params);
    return new Promise((resolve, reject) => {
      this.#open.push({
        // `focus` answers with nothing.
        answer: () => resolve(null as PageResult<M>),
        fail: () => reject(new RpcError('internal', 'It failed.')),
      });
    });
  }

  async answerOldest(): Promise<void> {
    this.#open.shift()?.answer();
    await vi.advanceTimersByTimeAsync(0);
  }

  async failOldest(): Promise<void> {
    this.#open.shift()?.fail();
    await vi.advanceTimersByTimeAsync(0);
  }

  onEvent = () => () => {};
  onConnection = () => () => {};
  start(): void {}
  retry(): void {}
  close(): void {}
}

describe('FocusReporter', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('window', Object.assign(new EventTarget(), { setTimeout, clearTimeout }));
    vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  function start(): { host: SlowHost; reporter: FocusReporter } {
    const host = new SlowHost();
    const store = createPageStore(host);
    const reporter = new FocusReporter(
      { host, store, texts: new TextSessions(host, store) },
      new OpenEditors(),
    );
    reporter.start();
    return { host, reporter };
  }

  it('sends no request while one is pending, so that no older position is reported last', async () => {
    const { host, reporter } = start();
    reporter.setDocument('/a');
    await vi.advanceTimersByTimeAsync(60);
    reporter.setDocument('/b');
    await vi.advanceTimersByTimeAsync(60);
    expect(host.asked).toEqual([{ path: '/a' }]);
    await host.answerOldest();
    expect(host.asked).toEqual([{ path: '/a' }, { path: '/b' }]);
    await host.answerOldest();
    expect(host.asked).toHaveLength(2);
  });

  it('reports the newer position even if the older one failed, and does not retry that one', async () => {
    const { host, reporter } = start();
    reporter.setDocument('/a');
    await vi.advanceTimersByTimeAsync(60);
    reporter.setDocument('/b');
    await vi.advanceTimersByTimeAsync(60);
    await host.failOldest();
    expect(host.asked).toEqual([{ path: '/a' }, { path: '/b' }]);
    await host.failOldest();
    await vi.advanceTimersByTimeAsync(60);
    expect(host.asked).toHaveLength(2);
  });

  it('reports within 30 ms while the caret keeps moving', async () => {
    const { host, reporter } = start();
    for (let moved = 0; moved < 3; moved += 1) {
      reporter.setDocument(`/${moved}`);
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(host.asked).toHaveLength(1);
  });

  it('says once what stays the same', async () => {
    const { host, reporter } = start();
    reporter.setDocument('/a');
    await vi.advanceTimersByTimeAsync(60);
    await host.answerOldest();
    reporter.setDocument('/a');
    await vi.advanceTimersByTimeAsync(60);
    expect(host.asked).toHaveLength(1);
  });
});
