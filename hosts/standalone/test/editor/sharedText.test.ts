import { collab, getSyncedVersion, receiveUpdates, sendableUpdates, type Update } from '@codemirror/collab';
import { ChangeSet, EditorState, Text, type TransactionSpec } from '@codemirror/state';
import type { TextUpdate } from '@tandem/page/wire';
import { RpcError } from '@tandem/rpc';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuTimeOf } from '../../../../test/machineTime.js';
import { SharedText, type TextUpdates } from '../../src/editor/sharedText.js';

const make = (content: string): SharedText =>
  new SharedText(content, (error) => {
    throw error;
  });

/** A page with a text open, as `@codemirror/collab` runs it in the browser. */
class Client {
  readonly #shared: SharedText;
  state: EditorState;

  constructor(shared: SharedText, clientID: string) {
    this.#shared = shared;
    const startVersion = shared.version;
    this.state = EditorState.create({
      doc: shared.content,
      extensions: [collab({ startVersion, clientID })],
    });
  }

  get content(): string {
    return this.state.doc.toString();
  }

  type(spec: TransactionSpec): void {
    this.state = this.state.update(spec).state;
  }

  /** Applies the updates that it missed. */
  pull(): void {
    const missed = this.#shared.updatesSince(getSyncedVersion(this.state));
    if (missed === undefined) throw new Error('The updates are gone.');
    const updates = missed.map(
      ({ clientId, changes }): Update => ({ clientID: clientId, changes: ChangeSet.fromJSON(changes) }),
    );
    this.state = receiveUpdates(this.state, updates).state;
  }

  /** Pushes its edits once. */
  push(): boolean {
    const updates = sendableUpdates(this.state).map(
      ({ clientID, changes }): TextUpdate => ({ clientId: clientID, changes: changes.toJSON() }),
    );
    return this.#shared.push(getSyncedVersion(this.state), updates);
  }

  sync(): void {
    this.pull();
    this.push();
    this.pull();
  }
}

const lines = fc
  .array(fc.constantFrom('', 'a', 'b', 'cc', '😀', 'a long line'), { maxLength: 8 })
  .map((all) => all.join('\n'));

describe('a shared text', () => {
  test('applies what a page types, and notifies all pages', () => {
    const text = make('one\ntwo');
    const received: TextUpdates[] = [];
    text.onDidChange((event) => received.push(event));
    const changes = ChangeSet.of({ from: 3, insert: Text.of(['!', 'and']) }, 7).toJSON();
    expect(text.push(0, [{ clientId: 'page', changes }])).toBe(true);
    expect([text.version, text.content, text.length, text.slice(0, 4)]).toEqual([
      1,
      'one!\nand\ntwo',
      12,
      'one!',
    ]);
    expect(received).toEqual([{ version: 0, updates: [{ clientId: 'page', changes }] }]);
    expect(text.updatesSince(0)).toEqual([{ clientId: 'page', changes }]);
    expect(text.updatesSince(1)).toEqual([]);
  });

  test('refuses edits of an older or a future version', () => {
    const text = make('a');
    text.replace('b');
    expect(text.push(0, [{ clientId: 'page', changes: [1, [0, 'x']] }])).toBe(false);
    expect(text.push(2, [])).toBe(false);
    expect([text.content, text.updatesSince(2), text.updatesSince(-1)]).toEqual(['b', undefined, undefined]);
  });

  test.each([
    ['no list', 'x'],
    ['nothing', undefined],
    ['another length', [4]],
    ['a negative length', [-1, [4, 'x']]],
    ['a fraction', [1.5, 1.5]],
    ['a line end within a line', [[3, 'a\nb']]],
    ['a carriage return', [[3, 'a\rb']]],
    ['no number first', [['3', 'a']]],
    ['something else than text', [[3, 4]]],
    ['an empty change', [[], 3]],
    ['a prototype', { length: 1, 0: 3 }],
  ])('refuses changes that are none: %s, and applies nothing of that push', (_, changes) => {
    const text = make('abc');
    const good = { clientId: 'page', changes: [[3, 'xyz']] };
    expect(() => text.push(0, [good, { clientId: 'page', changes }])).toThrow(RpcError);
    expect([text.version, text.content]).toEqual([0, 'abc']);
  });

  test('converges for pages that edit it concurrently', () => {
    const step = fc.record({
      who: fc.nat({ max: 3 }),
      what: fc.constantFrom('type', 'type', 'push', 'pull', 'replace'),
      from: fc.nat(),
      length: fc.nat({ max: 4 }),
      insert: lines,
    });
    fc.assert(
      fc.property(lines, fc.array(step, { maxLength: 40 }), (start, steps) => {
        const text = make(start);
        const clients = ['a', 'b', 'c', 'd'].map((id) => new Client(text, id));
        for (const { who, what, from, length, insert } of steps) {
          const client = clients[who];
          if (client === undefined) continue;
          const at = from % (client.state.doc.length + 1);
          if (what === 'type') {
            client.type({
              changes: { from: at, to: Math.min(at + length, client.state.doc.length), insert },
            });
          } else if (what === 'push') client.push();
          else if (what === 'pull') client.pull();
          else text.replace(insert);
        }
        for (const client of clients) client.sync();
        for (const client of clients) client.pull();
        expect(clients.map(({ content }) => content)).toEqual(clients.map(() => text.content));
      }),
    );
  });

  test('accepts one of two concurrent pushes, and the other after its rebase', () => {
    const text = make('one two');
    const [first, second] = [new Client(text, 'first'), new Client(text, 'second')];
    first.type({ changes: { from: 0, to: 3, insert: '1' } });
    second.type({ changes: { from: 4, to: 7, insert: '2' } });
    expect([first.push(), second.push()]).toEqual([true, false]);
    second.sync();
    first.pull();
    expect([text.content, first.content, second.content]).toEqual(['1 2', '1 2', '1 2']);
  });
});

describe('a text that the host replaces', () => {
  test('becomes the new text, for any two texts', () => {
    fc.assert(
      fc.property(lines, lines, (from, to) => {
        const text = make(from);
        text.replace(to);
        expect([text.content, text.version]).toEqual([to, from === to ? 0 : 1]);
      }),
    );
  });

  test('changes only where the texts differ, so that a cursor elsewhere stays', () => {
    const text = make('one\ntwo\nthree\nfour\nfive\n');
    const page = new Client(text, 'page');
    page.type({ selection: { anchor: 10 } });
    text.replace('ONE\ntwo\nthree\nfour and more\nnew\nfive\n');
    expect(text.updatesSince(0)).toEqual([
      { clientId: 'host', changes: [[3, 'ONE'], 15, [0, ' and more', 'new'], 6] },
    ]);
    page.pull();
    expect(page.state.selection.main.anchor).toBe(10);
  });

  test('splits no surrogate pair', () => {
    const text = make('x😀y\nz');
    text.replace('x😁y\nz');
    expect(text.updatesSince(0)?.[0]?.changes).toEqual([1, [2, '😁'], 3]);
  });

  test('converts other line ends', () => {
    const text = make('a\r\nb\rc');
    expect(text.content).toBe('a\nb\nc');
    text.replace('a\r\nb\r\nd');
    expect(text.content).toBe('a\nb\nd');
  });
});

describe('a large text', () => {
  const large = (mark: string): string =>
    Array.from({ length: 100_000 }, (_, at) => `${mark} line ${at} with some words in it`).join('\n');

  test('is replaced in reasonable time if it is rewritten', () => {
    const text = make(large('old'));
    const rewritten = large('new');
    // Without a bound on the search this takes minutes.
    expect(cpuTimeOf(() => text.replace(rewritten))).toBeLessThan(8000);
    expect(text.content === large('new')).toBe(true);
  });

  test('drops its oldest updates, and reports that', () => {
    const text = make('');
    const chunk = 'x'.repeat(1024 * 1024);
    for (let at = 0; at < 10; at++) {
      const changes = at % 2 === 0 ? [[0, chunk]] : [[chunk.length]];
      expect(text.push(at, [{ clientId: 'page', changes }])).toBe(true);
    }
    for (let at = 10; at < 20; at++) {
      const changes = ChangeSet.of({ from: 0, insert: chunk }, text.length).toJSON();
      text.push(at, [{ clientId: 'page', changes }]);
    }
    expect(text.updatesSince(0)).toBeUndefined();
    expect(text.updatesSince(19)).toHaveLength(1);
  });
});
