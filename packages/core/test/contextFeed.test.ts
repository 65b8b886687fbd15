import {
  ContextFeed,
  contextDebounceMs,
  contextMaxDelayMs,
  type EditorContext,
  Emitter,
  maxSharedSelectionBytes,
  type OpenFile,
  silentLogger,
} from '@tandem/core';
import { FakeClock, FakeEditor, FakeFiles } from '@tandem/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };

function setUp() {
  const clock = new FakeClock(1_000_000);
  const files = new FakeFiles({ '/workspace/a.ts': 'aaa\n', '/workspace/b.ts': 'bbb\n' });
  const editor = new FakeEditor({ clock, files });
  const feed = new ContextFeed({ editor, clock, logger: silentLogger });
  const fired: EditorContext[] = [];
  feed.onDidChange((context) => fired.push(context));
  return { clock, files, editor, user: editor.user, feed, fired };
}

describe('the context feed', () => {
  it('starts with the current snapshot', () => {
    const editor = new FakeEditor({ files: new FakeFiles({ '/workspace/a.ts': '' }) });
    editor.user.focus('/workspace/a.ts');
    const feed = new ContextFeed({ editor, clock: new FakeClock(), logger: silentLogger });
    expect(feed.current.activePath).toBe('/workspace/a.ts');
  });

  it('fires once for a burst, 50 ms after its last event', () => {
    const { clock, user, fired } = setUp();
    user.focus('/workspace/a.ts');
    clock.advance(contextDebounceMs - 1);
    user.focus('/workspace/b.ts');
    clock.advance(contextDebounceMs - 1);
    expect(fired).toEqual([]);
    clock.advance(1);
    expect(fired.map(({ activePath }) => activePath)).toEqual(['/workspace/b.ts']);
    clock.advance(10_000);
    expect(fired).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fires 200 ms after the first event while events continue, and again 200 ms after the next', () => {
    const { clock, user, feed } = setUp();
    const times: number[] = [];
    feed.onDidChange(() => times.push(clock.now() - 1_000_000));
    for (let elapsed = 0; elapsed < 600; elapsed += 10) {
      user.focus(elapsed % 20 === 0 ? '/workspace/a.ts' : '/workspace/b.ts');
      clock.advance(10);
    }
    expect(times).toEqual([contextMaxDelayMs, 2 * contextMaxDelayMs, 3 * contextMaxDelayMs]);
  });

  it.each([
    ['back', -3_600_000],
    ['forth', 3_600_000],
  ])('keeps to its times when the clock is set %s in a burst', (_direction, shift) => {
    const { clock, user, fired } = setUp();
    user.focus('/workspace/a.ts');
    clock.advance(20);
    clock.setTimeOfDay(clock.now() + shift);
    user.focus('/workspace/b.ts');
    clock.advance(contextDebounceMs - 1);
    expect(fired).toEqual([]);
    for (let elapsed = 20 + contextDebounceMs - 1; elapsed < contextMaxDelayMs; elapsed += 1) {
      user.select('/workspace/b.ts', range);
      clock.advance(1);
    }
    expect(fired).toHaveLength(1);
  });

  it('fires when trust changes', () => {
    const { clock, user, fired } = setUp();
    user.setTrusted(false);
    clock.advance(contextDebounceMs);
    expect(fired.map(({ isTrusted }) => isTrusted)).toEqual([false]);
  });

  it('takes the snapshot immediately when flushed, and not again after the debounce', () => {
    const { clock, user, feed, fired } = setUp();
    user.focus('/workspace/a.ts');
    feed.flush();
    expect(fired).toHaveLength(1);
    expect(feed.current).toBe(fired[0]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fires no event after dispose, even when disposed during the debounce or flushed', () => {
    const { clock, user, feed, fired } = setUp();
    user.focus('/workspace/a.ts');
    feed.dispose();
    feed.dispose();
    expect(clock.pendingTimers).toBe(0);
    user.focus('/workspace/b.ts');
    feed.flush();
    clock.advance(1000);
    expect(fired).toEqual([]);
    expect(feed.current.openFiles).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('survives an editor that fails to return a snapshot, and logs the error', () => {
    const clock = new FakeClock();
    const changed = new Emitter<void>(() => {});
    const errors: string[] = [];
    let snapshot = (): EditorContext => ({ openFiles: [], isTrusted: true });
    const feed = new ContextFeed({
      editor: {
        context: { snapshot: () => snapshot(), onDidChange: changed.event },
        workspace: new FakeEditor().workspace,
      },
      clock,
      logger: { ...silentLogger, error: (message) => errors.push(message) },
    });
    snapshot = () => {
      throw new Error('the tab is being closed');
    };
    changed.fire();
    clock.advance(contextDebounceMs);
    expect(errors).toHaveLength(1);
    snapshot = () => ({ openFiles: [{ path: '/a', lastFocusedAt: 1 }], isTrusted: true });
    changed.fire();
    clock.advance(contextDebounceMs);
    expect(feed.current.openFiles).toHaveLength(1);
  });
});

describe('the snapshot of the context feed', () => {
  function normalised(snapshot: EditorContext): EditorContext {
    const editor = new FakeEditor();
    return new ContextFeed({
      editor: {
        context: { snapshot: () => snapshot, onDidChange: editor.context.onDidChange },
        workspace: editor.workspace,
      },
      clock: new FakeClock(),
      logger: silentLogger,
    }).current;
  }

  it('has files in the order of their last focus', () => {
    const openFiles = [1, 3, 2].map((lastFocusedAt) => ({ path: `/${lastFocusedAt}`, lastFocusedAt }));
    expect(normalised({ openFiles, isTrusted: true }).openFiles.map(({ path }) => path)).toEqual([
      '/3',
      '/2',
      '/1',
    ]);
  });

  it('has the active file first, with the greatest time, even when another file has a later time', () => {
    const context = normalised({
      openFiles: [
        { path: '/later', lastFocusedAt: 50 },
        { path: '/active', lastFocusedAt: 10 },
      ],
      activePath: '/active',
      isTrusted: true,
    });
    expect(context.activePath).toBe('/active');
    expect(context.openFiles).toEqual([
      { path: '/active', lastFocusedAt: 51 },
      { path: '/later', lastFocusedAt: 50 },
    ]);
  });

  it('has a greater time for the active file even when two files have the same time', () => {
    const { openFiles } = normalised({
      openFiles: [
        { path: '/b', lastFocusedAt: 7 },
        { path: '/a', lastFocusedAt: 7 },
      ],
      activePath: '/a',
      isTrusted: true,
    });
    expect(openFiles).toEqual([
      { path: '/a', lastFocusedAt: 8 },
      { path: '/b', lastFocusedAt: 7 },
    ]);
  });

  it('has only the selection of the active file', () => {
    const selection = { range, text: 'aaa' };
    const openFiles: OpenFile[] = [
      { path: '/a', lastFocusedAt: 2, selection },
      { path: '/b', lastFocusedAt: 1, selection },
    ];
    expect(
      normalised({ openFiles, activePath: '/a', isTrusted: true }).openFiles.map((file) => file.selection),
    ).toEqual([selection, undefined]);
    expect(normalised({ openFiles, isTrusted: true }).openFiles.map((file) => file.selection)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('has one entry for a file in two panes, with the later time and the selection', () => {
    const selection = { range, text: 'aaa' };
    const openFiles: OpenFile[] = [
      { path: '/a', lastFocusedAt: 1, selection },
      { path: '/a', lastFocusedAt: 9 },
    ];
    for (const files of [openFiles, openFiles.toReversed()]) {
      expect(normalised({ openFiles: files, activePath: '/a', isTrusted: true }).openFiles).toEqual([
        { path: '/a', lastFocusedAt: 9, selection },
      ]);
    }
  });

  it('has no active path when that file is not among the open ones', () => {
    const context = normalised({
      openFiles: [{ path: '/a', lastFocusedAt: 1 }],
      activePath: '/closed meanwhile',
      isTrusted: true,
    });
    expect(context).toEqual({ openFiles: [{ path: '/a', lastFocusedAt: 1 }], isTrusted: true });
  });

  it('truncates selected text to 16 KiB of UTF-8, between characters', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).map((unit) => {
      const repeats = Math.ceil((maxSharedSelectionBytes + 200) / new TextEncoder().encode(unit).length);
      return unit.repeat(repeats);
    });
    fc.assert(
      fc.property(text, (selected) => {
        const { openFiles } = normalised({
          openFiles: [{ path: '/a', lastFocusedAt: 1, selection: { range, text: selected } }],
          activePath: '/a',
          isTrusted: true,
        });
        const cut = openFiles[0]?.selection?.text ?? '';
        const bytes = new TextEncoder().encode(cut).length;
        expect(selected.startsWith(cut)).toBe(true);
        expect(bytes).toBeLessThanOrEqual(maxSharedSelectionBytes);
        expect(bytes).toBeGreaterThan(maxSharedSelectionBytes - 200);
        // Half a surrogate pair would not survive the encoding.
        expect(new TextDecoder().decode(new TextEncoder().encode(cut))).toBe(cut);
      }),
      { numRuns: 30 },
    );
  });

  it('keeps the range of a selection whose text was truncated', () => {
    const { openFiles } = normalised({
      openFiles: [
        { path: '/a', lastFocusedAt: 1, selection: { range, cursor: range.start, text: 'x'.repeat(20_000) } },
      ],
      activePath: '/a',
      isTrusted: true,
    });
    expect(openFiles[0]?.selection).toEqual({ range, cursor: range.start, text: 'x'.repeat(16 * 1024) });
  });
});
