import { Listeners } from '@tandem/chat-panel/primitives';
import { RpcError } from '@tandem/rpc';
import { describe, expect, it, vi } from 'vitest';
import type { ConnectionState, PageHost } from '../src/client/pageStore.js';
import { FileListing } from '../src/files/fileListing.js';
import type { PageMethod, PageResult } from '../src/wire/index.js';

/** A host whose requests the test answers. */
class SlowHost implements PageHost {
  readonly connection = 'open';
  readonly connections = new Listeners<ConnectionState>();
  readonly open: { readonly answer: () => void; readonly fail: () => void }[] = [];
  asked = 0;

  request<M extends PageMethod>(): Promise<PageResult<M>> {
    this.asked += 1;
    return new Promise((resolve, reject) => {
      this.open.push({
        answer: () => resolve({ entries: [] } as unknown as PageResult<M>),
        fail: () => reject(new RpcError('unreachable', 'The companion cannot be reached.')),
      });
    });
  }

  onConnection = (listener: (state: ConnectionState) => void) => this.connections.add(listener);
  onEvent = () => () => {};
  start(): void {}
  retry(): void {}
  close(): void {}
}

describe('a folder that cannot be listed', () => {
  it('is requested once, and again when the connection is restored', async () => {
    const host = new SlowHost();
    const listing = new FileListing(host);
    // As the tree does after each change of its rows.
    listing.state.subscribe(() => queueMicrotask(() => listing.need('/work')));
    listing.need('/work');
    host.open.shift()?.fail();
    await vi.waitUntil(() => listing.state.getState().failures.has('/work'));
    expect(host.asked).toBe(1);
    host.connections.notify('open');
    host.open.shift()?.answer();
    await vi.waitUntil(() => listing.state.getState().entries.has('/work'));
    expect(listing.state.getState().failures.size).toBe(0);
  });

  it('is requested again if the connection is restored before the failure is known', async () => {
    const host = new SlowHost();
    const listing = new FileListing(host);
    listing.need('/work');
    host.connections.notify('open');
    host.open.shift()?.fail();
    await vi.waitUntil(() => host.open.length === 1);
    host.open.shift()?.answer();
    await vi.waitUntil(() => listing.state.getState().entries.has('/work'));
    expect(listing.state.getState().failures.size).toBe(0);
  });
});
