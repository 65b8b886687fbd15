import { join } from 'node:path';
import { Emitter, toDisposable } from '@tandem/core';
import type { Editor } from '@tandem/reviews';

/** An editor that does nothing, so it adds no cost. */
export interface BenchEditor extends Editor {
  /** Moves the cursor of the active file to another line. */
  moveTo(line: number): void;
}

/** The first of the open files is the active one. */
export function createBenchEditor(
  folder: string,
  paths: readonly string[] = [join(folder, 'open.ts')],
): BenchEditor {
  const didChange = new Emitter<void>(console.error);
  const [path = ''] = paths;
  const others = paths.slice(1).map((other) => ({ path: other, lastFocusedAt: 1 }));
  let line = 0;
  return {
    info: { name: 'bench', displayName: 'Bench', version: '0.0.0', pid: process.pid },
    workspace: {
      folders: () => [folder],
      isTrusted: () => true,
      onDidChange: new Emitter<void>(console.error).event,
    },
    context: {
      snapshot: () => {
        const range = { start: { line, character: 0 }, end: { line, character: 0 } };
        const openFiles = [{ path, lastFocusedAt: 1, selection: { range, text: '' } }, ...others];
        return { openFiles, activePath: path, isTrusted: true };
      },
      onDidChange: didChange.event,
    },
    documents: {
      open: async () => {},
      state: () => undefined,
      save: async () => false,
      close: async () => false,
    },
    reviews: { show: async () => toDisposable(() => {}) },
    moveTo(to) {
      line = to;
      didChange.fire();
    },
  };
}
