import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { CompanionClient } from './support/companionClient.js';
import { companions } from './support/companions.js';
import { Stage } from './support/stage.js';

const [a, b, c] = ['/workspace/a.ts', '/workspace/b.ts', '/workspace/c.ts'] as const;

describe.each(companions)('a change of the context with many sessions of $name', ({ protocol, manner }) => {
  let stage: Stage;
  let clients: CompanionClient[];
  /** Ends the pause of the task that sends. */
  let go: () => void;
  let isPausing: boolean;

  async function connectThree(): Promise<void> {
    isPausing = false;
    const pause = (): Promise<void> | undefined =>
      isPausing
        ? new Promise((resolve) => {
            go = resolve;
          })
        : undefined;
    stage = await Stage.create({ files: { [a]: 'a\n', [b]: 'b\n', [c]: 'c\n' }, pausing: () => pause });
    const running = await stage.start(protocol);
    clients = [];
    for (let at = 0; at < 3; at += 1) {
      const client = await CompanionClient.connect(running, manner);
      await client.next('ide/contextUpdate');
      clients.push(client);
    }
  }

  afterEach(() => stage.close());

  const activeAt = async (at: number): Promise<string | undefined> => {
    const { params } = (await clients[at]?.next('ide/contextUpdate')) ?? {};
    return params.workspaceState.openFiles[0]?.path;
  };
  /** Resolves when the context is applied: the files are in memory. */
  const focus = (path: string): Promise<void> => {
    stage.editor.user.focus(path);
    stage.settle();
    return setImmediate();
  };
  const received = (): number[] => clients.map(({ notifications }) => notifications.length);

  it('is sent with pauses, after which each receives only the latest, in turn', async () => {
    await connectThree();
    isPausing = true;
    await focus(a);
    expect(await activeAt(0)).toBe(a);
    expect(received()).toEqual([0, 0, 0]);
    await focus(b);
    go();
    expect(await activeAt(1)).toBe(b);
    await focus(c);
    // The third is not passed over, although the context changes again and again.
    go();
    expect(await activeAt(2)).toBe(c);
    isPausing = false;
    go();
    expect(await Promise.all([activeAt(0), activeAt(1)])).toEqual([c, c]);
    expect(received()).toEqual([0, 0, 0]);
  });

  it('is not sent to a session that ends in a pause, and the next change is sent to all others', async () => {
    await connectThree();
    isPausing = true;
    await focus(a);
    expect(await activeAt(0)).toBe(a);
    await clients[1]?.end();
    isPausing = false;
    go();
    expect(await activeAt(2)).toBe(a);
    await focus(b);
    expect(await Promise.all([activeAt(0), activeAt(2)])).toEqual([b, b]);
    expect(received()).toEqual([0, 0, 0]);
    expect(stage.problems).toEqual([]);
  });
});
