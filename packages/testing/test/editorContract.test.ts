import { type Clock, DocumentError, type EditorContext, toDisposable } from '@tandem/core';
import type { Editor } from '@tandem/reviews';
import { type EditorUnderTest, FakeEditor, FakeFiles, runEditorContract } from '@tandem/testing';
import { describe, expect, it } from 'vitest';

/** Time that jumps to the next timer when all earlier work is done: no wait takes or depends on real time. */
class JumpingClock implements Clock {
  #now = Date.UTC(2026, 0, 1);
  readonly #timers = new Map<() => void, number>();
  #isRunning = false;

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, delayMs: number) {
    const fire = (): void => callback();
    this.#timers.set(fire, this.#now + delayMs);
    if (!this.#isRunning) setImmediate(() => this.#run());
    this.#isRunning = true;
    return toDisposable(() => this.#timers.delete(fire));
  }

  #run(): void {
    const [next] = [...this.#timers].sort(([, a], [, b]) => a - b);
    this.#isRunning = next !== undefined;
    if (next === undefined) return;
    const [fire, due] = next;
    this.#timers.delete(fire);
    this.#now = Math.max(this.#now, due);
    fire();
    setImmediate(() => this.#run());
  }
}

interface Host extends EditorUnderTest {
  readonly editor: FakeEditor;
}

function makeHost(): Host {
  const files = new FakeFiles();
  files.makeFolder('/workspace');
  const clock = new JumpingClock();
  const editor = new FakeEditor({ files, clock });
  return {
    editor,
    workspaceFolder: '/workspace',
    clock,
    writeFile: (path, text) => files.write(`/workspace/${path}`, text),
    readFile: async (path) => (await files.readText(`/workspace/${path}`)) ?? '',
    user: editor.user,
    dispose() {},
  };
}

/** Runs the contract on an editor and returns the names of the checks that fail. */
async function failedChecks(breakIt: (host: Host) => void): Promise<string[]> {
  const checks: { readonly name: string; run(): Promise<void> }[] = [];
  runEditorContract(
    async () => {
      const host = makeHost();
      breakIt(host);
      return host;
    },
    (name, run) => checks.push({ name, run }),
  );
  const failed: string[] = [];
  for (const { name, run } of checks) {
    await run().catch((error: unknown) => {
      expect(error).toBeInstanceOf(Error);
      failed.push(name);
    });
  }
  return failed;
}

/** Replaces a member of an object. */
function replace<T extends object, K extends keyof T>(object: T, key: K, by: (original: T[K]) => T[K]): void {
  const original = object[key];
  Object.defineProperty(object, key, {
    value: by(typeof original === 'function' ? original.bind(object) : original),
    configurable: true,
  });
}

function replaceSnapshot(editor: FakeEditor, change: (snapshot: EditorContext) => EditorContext): void {
  replace(editor.context, 'snapshot', (snapshot) => () => change(snapshot()));
}

function replaceShow(
  editor: FakeEditor,
  by: (show: Editor['reviews']['show']) => Editor['reviews']['show'],
): void {
  replace(editor.reviews, 'show', by);
}

const silent = (): { dispose(): void } => ({ dispose() {} });

const breakages: [what: string, breakIt: (host: Host) => void, failing: string][] = [
  [
    'has an upper-case name',
    ({ editor }) => replace(editor, 'info', (info) => ({ ...info, name: 'Fake Editor' })),
    'reports its name, version and process',
  ],
  [
    'has no process',
    ({ editor }) => replace(editor, 'info', (info) => ({ ...info, pid: 0 })),
    'reports its name, version and process',
  ],
  [
    'names folders relatively',
    ({ editor }) => replace(editor.workspace, 'folders', (folders) => () => [...folders(), 'workspace']),
    'names its folders by absolute paths',
  ],
  [
    'forgets trust in the snapshot',
    ({ editor }) => replaceSnapshot(editor, (snapshot) => ({ ...snapshot, isTrusted: true })),
    'fires an event when trust is withdrawn and granted',
  ],
  [
    'fires no event for trust',
    ({ editor }) => replace(editor.workspace, 'onDidChange', () => silent),
    'fires an event when trust is withdrawn and granted',
  ],
  [
    'does not unsubscribe',
    ({ editor }) =>
      replace(editor.workspace, 'onDidChange', (event) => (listener) => {
        event(listener);
        return { dispose() {} };
      }),
    'sends no events to a disposed listener',
  ],
  [
    'stamps in seconds',
    ({ editor }) =>
      replaceSnapshot(editor, (snapshot) => ({
        ...snapshot,
        openFiles: snapshot.openFiles.map((file) => ({
          ...file,
          lastFocusedAt: Math.floor(file.lastFocusedAt / 1000),
        })),
      })),
    'puts a file that is opened with the focus first, active and stamped with the time',
  ],
  [
    'lists files in the order they were opened',
    ({ editor }) =>
      replaceSnapshot(editor, (snapshot) => ({
        ...snapshot,
        openFiles: [
          ...snapshot.openFiles.filter(({ path }) => path === snapshot.activePath),
          ...snapshot.openFiles.filter(({ path }) => path !== snapshot.activePath).toReversed(),
        ],
      })),
    'keeps files in the order of their last focus',
  ],
  [
    'names files by URIs',
    ({ editor }) =>
      replaceSnapshot(editor, (snapshot) => ({
        ...snapshot,
        openFiles: snapshot.openFiles.map((file) => ({ ...file, path: encodeURI(file.path) })),
        ...(snapshot.activePath && { activePath: encodeURI(snapshot.activePath) }),
      })),
    'names every file once, by an absolute path, with spaces and letters of any script',
  ],
  [
    'changes the line endings of the selected text',
    ({ editor }) =>
      replaceSnapshot(editor, (snapshot) => ({
        ...snapshot,
        openFiles: snapshot.openFiles.map((file) => ({
          ...file,
          ...(file.selection && {
            selection: { ...file.selection, text: file.selection.text.replaceAll('\r\n', '\n') },
          }),
        })),
      })),
    'keeps the line endings of the file in the selected text',
  ],
  [
    'fires no event for open files',
    ({ editor }) => replace(editor.context, 'onDidChange', () => silent),
    'fires an event when files are opened and closed',
  ],
  [
    'opens missing files',
    ({ editor }) =>
      replace(editor.documents, 'open', (open) => (path, options) => open(path, options).catch(() => {})),
    'rejects opening a missing file, and opens nothing',
  ],
  [
    'fails without a code',
    ({ editor }) =>
      replace(
        editor.documents,
        'open',
        (open) => (path, options) =>
          open(path, options).catch(() => {
            throw new Error(`cannot open ${path}`);
          }),
      ),
    'rejects opening a folder',
  ],
  [
    'omits the path from the message',
    ({ editor }) =>
      replace(
        editor.documents,
        'open',
        (open) => (path, options) =>
          open(path, options).catch(() => {
            throw new DocumentError('not-found', 'No such file.');
          }),
      ),
    'rejects opening a missing file, and opens nothing',
  ],
  [
    'reports a state for any file',
    ({ editor }) => replace(editor.documents, 'state', () => () => ({ isDirty: false })),
    'reports the state of open documents only',
  ],
  [
    'closes files that are not open',
    ({ editor }) =>
      replace(editor.documents, 'close', (close) => async (path) => (await close(path)) || true),
    'reports that a file that is not open was neither closed nor saved',
  ],
  [
    'discards unsaved changes',
    ({ editor }) =>
      replace(editor.documents, 'close', () => async (path) => {
        if (editor.documents.state(path) === undefined) return false;
        editor.documents.discard(path);
        return true;
      }),
    'keeps unsaved changes when asked to close',
  ],
  [
    'reports a save that did not happen',
    ({ editor }) =>
      replace(editor.documents, 'save', () => async (path) => editor.documents.state(path) !== undefined),
    'reports unsaved changes, and saves them',
  ],
  [
    'shows nothing',
    ({ editor }) => replaceShow(editor, () => async () => ({ dispose() {} })),
    'has a review in view from show to dispose',
  ],
  [
    'does not close a view',
    ({ editor }) =>
      replaceShow(editor, (show) => async (review) => {
        await show(review);
        return { dispose() {} };
      }),
    'has a review in view from show to dispose',
  ],
  [
    'rejects a review when its view closes',
    ({ editor }) =>
      replaceShow(editor, (show) => async (review) => {
        const view = await show(review);
        return {
          dispose() {
            view.dispose();
            review.reject();
          },
        };
      }),
    'shows a review, and closes its view without deciding it',
  ],
  [
    'throws when a view is closed twice',
    ({ editor }) =>
      replaceShow(editor, (show) => async (review) => {
        const view = await show(review);
        let isClosed = false;
        return {
          dispose() {
            if (isClosed) throw new Error('closed already');
            isClosed = true;
            view.dispose();
          },
        };
      }),
    'allows a review to end in any way while its view is open',
  ],
  [
    'refuses a review that has ended',
    ({ editor }) =>
      replaceShow(editor, (show) => async (review) => {
        if (review.outcome !== undefined) throw new Error('too late');
        return show(review);
      }),
    'does not throw for a review that has already ended',
  ],
  [
    'opens the file under review',
    ({ editor }) =>
      replaceShow(editor, (show) => async (review) => {
        editor.user.focus(review.proposal.path, '');
        return show(review);
      }),
    'opens no file and moves no focus to show a review',
  ],
  [
    'has one view for each file',
    ({ editor }) =>
      replaceShow(editor, (show) => {
        const views = new Map<string, { dispose(): void }>();
        return async (review) => {
          views.get(review.proposal.path)?.dispose();
          const view = await show(review);
          views.set(review.proposal.path, view);
          return view;
        };
      }),
    'shows two reviews of one file separately',
  ],
  [
    'trims the accepted text',
    ({ editor }) =>
      replace(editor.user, 'accept', () => (review) => void review.accept(review.content.trimEnd())),
    'accepts a proposal exactly, to the last character',
  ],
  [
    'loses edits',
    ({ editor }) => replace(editor.user, 'edit', () => () => {}),
    'keeps what the user typed when the agent disconnects',
  ],
  [
    'formats files that are not open',
    ({ editor }) => replace(editor.documents, 'format', () => async () => {}),
    'formats an open document, if it formats at all',
  ],
  [
    'is slow to answer for diagnostics',
    ({ editor, clock }) => {
      if (editor.diagnostics === undefined) return;
      replace(editor.diagnostics, 'get', () => async () => {
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 10_000));
        return [];
      });
    },
    'returns diagnostics in time, if it has any',
  ],
  [
    'mixes the diagnostics of all files',
    ({ editor }) => {
      if (editor.diagnostics !== undefined) replace(editor.diagnostics, 'get', (get) => () => get());
    },
    'reports changed diagnostics and returns those of a file',
  ],
];

describe('the editor contract', () => {
  it('passes for the fake editor', async () => {
    expect(await failedChecks(() => {})).toEqual([]);
  });

  it.each(breakages)('fails for an editor that %s', async (_what, breakIt, failing) => {
    expect(await failedChecks(breakIt)).toContain(failing);
  });

  it('omits checks that need actions that the host cannot simulate, and disposes every editor', async () => {
    let made = 0;
    let disposed = 0;
    const names: string[] = [];
    const runs: Promise<void>[] = [];
    runEditorContract(
      async () => {
        made++;
        return { ...makeHost(), user: {}, dispose: () => void disposed++ };
      },
      (name, run) => {
        names.push(name);
        runs.push(run());
      },
      [],
    );
    await Promise.all(runs);
    const all: string[] = [];
    runEditorContract(
      async () => makeHost(),
      (name) => all.push(name),
    );
    expect(names.length).toBeGreaterThan(10);
    expect(names.length).toBeLessThan(all.length);
    expect([made, disposed]).toEqual([runs.length, runs.length]);
  });

  it('fails for a host that simulates fewer actions than it declares', async () => {
    const runs: Promise<void>[] = [];
    runEditorContract(
      async () => ({ ...makeHost(), user: {} }),
      (name, run) => name.startsWith('simulates exactly the user actions') && runs.push(run()),
    );
    await expect(Promise.all(runs)).rejects.toThrow('the actions that the host simulates');
    expect(runs).toHaveLength(1);
  });
});
