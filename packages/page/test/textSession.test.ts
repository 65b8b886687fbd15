import { RpcError } from '@tandem/rpc';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextSession } from '../src/client/textSession.js';
import { type TestConnection, TextAuthority } from './support/textAuthority.js';

describe('TextSession', () => {
  it('gives the host what is typed and takes what changes there', async () => {
    const authority = new TextAuthority('one\ntwo');
    const { session, connection } = await openSession(authority);
    session.replace('one!\ntwo');
    authority.insert(authority.content.length, ' more');
    await settle([connection]);
    expect(session.content).toBe('one!\ntwo more');
    expect(authority.content).toBe('one!\ntwo more');
    expect(session.isSynced).toBe(true);
    session.dispose();
  });

  it('resolves settle to the version that holds everything typed', async () => {
    const authority = new TextAuthority('one');
    const { session, connection } = await openSession(authority);
    session.replace('one two');
    const settled = session.settle();
    await settle([connection]);
    expect(await settled).toBe(authority.version);
    expect(authority.content).toBe('one two');
    session.dispose();
  });

  it('keeps what is typed while the host cannot be reached, and sends it afterwards', async () => {
    const authority = new TextAuthority('one');
    const { session, connection } = await openSession(authority);
    await connection.break();
    session.replace('one typed offline');
    authority.insert(0, 'meanwhile ');
    await expect(session.settle()).rejects.toMatchObject({ code: 'unreachable' });
    connection.reconnect();
    await settle([connection]);
    expect(session.content).toBe('meanwhile one typed offline');
    expect(authority.content).toBe(session.content);
    session.dispose();
  });

  it('does not apply twice what arrived although its answer was lost', async () => {
    const authority = new TextAuthority('one');
    const { session, connection } = await openSession(authority);
    session.replace('one two');
    await connection.step({ answersGetLost: true });
    await connection.break();
    connection.reconnect();
    await settle([connection]);
    expect(authority.content).toBe('one two');
    expect(session.content).toBe('one two');
    session.dispose();
  });

  it('says that it did not arrive when a request fails although the connection is there', async () => {
    const authority = new TextAuthority('one');
    const { session, connection } = await openSession(authority);
    session.replace('one two');
    const settled = session.settle();
    const refusal = expect(settled).rejects.toMatchObject({ code: 'unreachable' });
    connection.loseOne();
    await refusal;
    const again = session.settle();
    await settle([connection]);
    expect(await again).toBe(authority.version);
    expect(authority.content).toBe('one two');
    session.dispose();
  });

  it('keeps its text when the host lets it go', async () => {
    const authority = new TextAuthority('one');
    const { session } = await openSession(authority);
    session.replace('one, mine');
    session.detach(new RpcError('already-decided', 'The review has ended.'));
    await expect(session.settle()).rejects.toMatchObject({ code: 'already-decided' });
    expect(session.content).toBe('one, mine');
    session.dispose();
  });

  it('comes to the same text as every other page and the host, whatever is typed, lost and delayed', async () => {
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant('type'),
          who: fc.nat(1),
          at: fc.nat(40),
          text: fc.string({ maxLength: 4 }),
          cut: fc.nat(3),
        }),
      },
      {
        weight: 8,
        arbitrary: fc.record({ kind: fc.constant('step'), who: fc.nat(1), isLost: fc.boolean() }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('host'),
          at: fc.nat(40),
          text: fc.string({ minLength: 1, maxLength: 4 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('break'), who: fc.nat(1) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('reconnect'), who: fc.nat(1) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const authority = new TextAuthority('first\nsecond\nthird');
        const pages = [await openSession(authority), await openSession(authority)];
        for (const each of steps) {
          const page = 'who' in each ? pages[each.who] : undefined;
          if (each.kind === 'type' && page && 'cut' in each) {
            const before = page.session.content;
            const at = Math.min(each.at, before.length);
            const text = each.text.replaceAll('\r', '');
            page.session.replace(before.slice(0, at) + text + before.slice(at + each.cut));
          } else if (each.kind === 'host' && 'text' in each && each.text !== undefined) {
            authority.insert(each.at, each.text.replaceAll('\r', ''));
          } else if (each.kind === 'break') await page?.connection.break();
          else if (each.kind === 'reconnect') page?.connection.reconnect();
          else if ('isLost' in each && each.isLost) {
            await page?.connection.step({ answersGetLost: true });
            await page?.connection.break();
          } else await page?.connection.step();
        }
        for (const { connection } of pages) connection.reconnect();
        await settle(pages.map(({ connection }) => connection));
        for (const { session } of pages) {
          expect(session.detached).toBeUndefined();
          expect(session.isSynced).toBe(true);
          expect(session.content).toBe(authority.content);
          session.dispose();
        }
      }),
      { numRuns: 150 },
    );
  });
});

async function openSession(authority: TextAuthority) {
  const connection = authority.connect();
  const opening = TextSession.open(connection, 'document:/a');
  await settle([connection]);
  return { session: await opening, connection };
}

/** Lets everything happen that is under way, until nothing is. */
async function settle(connections: readonly TestConnection[]): Promise<void> {
  do {
    for (const connection of connections) await connection.step();
  } while (!connections.every(({ isIdle }) => isIdle));
}
