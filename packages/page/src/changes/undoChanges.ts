import { countOf } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import type { ChangeSelection, RestoredFile } from '@tandem/rpc';
import type { ShellParts } from '../app/shellState.js';
import { fileName } from '../app/tabList.js';

export type Verb = 'Undo' | 'Redo';

/** What undoing uses of the frame of the page. */
type UndoShell = Pick<ShellParts, 'services' | 'notices' | 'openDocument'>;

/** Whether a restoration changes the file. */
export const isWritten = ({ kind }: RestoredFile): boolean =>
  ['restored', 'merged', 'removed'].includes(kind);

export const doneWords: Readonly<Record<Verb, string>> = { Undo: 'Undone', Redo: 'Redone' };

/** Takes changes back, and opens the files with conflicts. */
export async function undo(
  shell: UndoShell,
  { selection, verb }: { readonly selection: ChangeSelection; readonly verb: Verb },
): Promise<void> {
  const { notices, services } = shell;
  const failed = `Not ${doneWords[verb].toLowerCase()}`;
  try {
    const restored = await services.host.request('changes.restore', { ...selection, isPartial: true });
    const written = restored.filter(isWritten);
    const refused = restored.filter(({ kind }) => kind === 'refused');
    if (refused.length > 0) {
      notices.error(`${failed}: ${refused.map(({ reason = '' }) => visibleName(reason)).join(' ')}`);
    }
    if (written.length > 0) reportWritten(shell, written, verb);
    if (restored.some(({ kind }) => kind === 'conflict')) await openConflicts(shell, selection);
    if (restored.every(({ kind }) => kind === 'nothing')) reportNothing(shell, verb);
  } catch (error) {
    notices.failure(failed, error);
  }
}

/** Says that the files do not have the changes. */
export function reportNothing({ notices }: UndoShell, verb: Verb): void {
  notices.info(`Nothing to ${verb.toLowerCase()}: the files no longer contain these changes.`);
}

/** Says what was written, with a button that takes that back. */
export function reportWritten(shell: UndoShell, written: readonly RestoredFile[], verb: Verb): void {
  const [first] = written;
  const what =
    written.length === 1 ? visibleName(fileName(first?.path ?? '')) : countOf(written.length, 'file');
  const ids = written.flatMap(({ restoration }) => restoration ?? []);
  const back = verb === 'Undo' ? 'Redo' : 'Undo';
  shell.notices.show({
    key: 'undone',
    kind: 'good',
    text: `${doneWords[verb]}: ${what}.`,
    action: { label: back, run: () => void undo(shell, { selection: { ids }, verb: back }) },
    staysMs: 15_000,
  });
}

async function openConflicts(shell: UndoShell, selection: ChangeSelection): Promise<void> {
  const { paths } = await shell.services.host.request('changes.resolve', selection);
  for (const path of paths) await shell.openDocument(path);
  const names = paths.map((path) => visibleName(fileName(path))).join(', ');
  shell.notices.info(
    `Resolve the conflicts in ${names}: keep one side or both, then save. Nothing is written until you save.`,
  );
}
