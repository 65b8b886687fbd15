import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { ChangedFileSummary } from '@tandem/companion';
import { type Disposable, DisposableStore, messageOf, type Path, visibleName } from '@tandem/core';
import type { ChangeSelection, RestoredFile } from '@tandem/rpc';
import * as vscode from 'vscode';
import type { OpenDesk } from '../desk.js';
import { ask, inform, plainLabel, showError } from '../messages.js';
import type { ChangeList } from './changeList.js';
import { changeUri } from './changeTexts.js';
import { DecidedNode, EntryNode, FileNode, GroupNode, SessionNode } from './changeTree.js';
import type { RestoreConflicts } from './restoreConflicts.js';

interface Services {
  readonly list: ChangeList;
  readonly conflicts: RestoreConflicts;
  readonly openDesk: OpenDesk;
}

/** Registers the commands that show the changes of sessions and take them back. */
export function registerChangeCommands(services: Services): Disposable {
  const { list } = services;
  const store = new DisposableStore();
  const register = (name: string, run: (...values: unknown[]) => Promise<unknown>): void => {
    const command = (...values: unknown[]): Promise<unknown> =>
      run(...values).catch((error: unknown) => showError(messageOf(error)));
    store.add(vscode.commands.registerCommand(`tandem.${name}`, command));
  };
  register('showSessionChanges', async (what) => {
    const chosen = what instanceof SessionNode ? { session: what.session.id } : await chooseSession(list);
    if (chosen !== undefined) await showAll(list, chosen.session);
  });
  register('showChange', async (path, group, waits) => {
    if (typeof path !== 'string' || typeof group !== 'string') return;
    await showOne(path, { group, ...(typeof waits === 'boolean' && { waits }) });
  });
  register('keepChanges', async (what) => {
    const selection = selectionOf(list, what);
    if (selection !== undefined) await keep(services, { ...selection, isKept: true });
  });
  register('reviewAgain', async (what) => {
    if (!(what instanceof FileNode)) return;
    await keep(services, { path: what.file.path, group: what.group, isKept: false });
  });
  register('restoreChanges', async (what) => {
    const selection = selectionOf(list, what);
    if (selection !== undefined) await restoreAfterQuestion(services, selection);
  });
  register('undoRestoration', async (what) => {
    const ids = await restorationsOf(list, what);
    if (ids.length === 0) return void inform(vscode.l10n.t('There is nothing to redo.'));
    await restoreAfterQuestion(services, { ids }, { isRedo: true });
  });
  return store;
}

/** With what waits, only that is selected. */
function selectionOf(list: ChangeList, what: unknown): ChangeSelection | undefined {
  if (what instanceof SessionNode) {
    const session = what.session.id;
    return list.waits(session) ? { session, waits: true } : { session };
  }
  if (what instanceof DecidedNode) return { session: what.session.id, waits: false };
  if (what instanceof GroupNode) {
    const { session, group, isApart } = what;
    return { session: session.id, group: group.key, ...(isApart && { waits: group.waits }) };
  }
  if (what instanceof FileNode) {
    const { file, session, group } = what;
    return { path: file.path, session: session.id, group, waits: file.waits };
  }
  return what instanceof EntryNode ? { ids: [what.entry.decided.id] } : undefined;
}

/** Keeps changes, after a question if they are in several files, or lets kept ones wait again. Offers to take that back. */
async function keep(
  services: Services,
  params: ChangeSelection & { readonly isKept: boolean },
): Promise<void> {
  const desk = await services.openDesk();
  if (desk === undefined) return;
  let { done, question } = await desk.attempt('changes.keep', params);
  if (question !== undefined) {
    const { choose } = await import('../desk.js');
    const answer = (await choose(question))?.answer;
    if (answer === undefined) return;
    ({ done, question } = await desk.attempt('changes.keep', { ...params, answer }));
  }
  const ids = done?.files.flatMap((file) => file.ids) ?? [];
  if (done === undefined) return;
  const back = params.isKept ? vscode.l10n.t('Review Again') : vscode.l10n.t('Keep');
  const reverse = async (): Promise<void> => {
    if ((await inform(done.note, ...(ids.length > 0 ? [back] : []))) === back)
      await keep(services, { ids, isKept: !params.isKept });
  };
  void reverse();
}

/** One restoration, or the last ones of a file or a session that can be undone as a whole. */
async function restorationsOf(list: ChangeList, what: unknown): Promise<string[]> {
  if (what instanceof EntryNode) return [what.entry.decided.id];
  const files =
    what instanceof FileNode
      ? [what.file]
      : what instanceof SessionNode
        ? await list.files(what.session.id)
        : [];
  return files.flatMap(({ undoable }) => undoable ?? []);
}

/** The session that the user chooses; `session` is absent for all. */
async function chooseSession(
  list: ChangeList,
): Promise<{ readonly session: string | undefined } | undefined> {
  const { t } = vscode.l10n;
  const { sessions } = list;
  if (sessions.length === 0) void inform(t('No changes of agents are recorded yet.'));
  if (sessions.length < 2) return sessions[0] && { session: sessions[0].id };
  const choices = sessions.map(({ id, agentName, firstPath }) => ({
    label: plainLabel(agentName),
    description: plainLabel(basename(firstPath)),
    session: id,
  }));
  const all = { label: t('All sessions'), description: '', session: undefined };
  return vscode.window.showQuickPick([...choices, all], {
    placeHolder: t('Choose a session to show its changes'),
  });
}

/** Opens the multi-file diff editor. */
async function showAll(list: ChangeList, session: string | undefined): Promise<void> {
  const { t } = vscode.l10n;
  const files = await list.files(session);
  const isShown = ({ before, now, added, removed }: ChangedFileSummary): boolean =>
    before !== 'binary' && now !== 'binary' && (before !== now || added + removed > 0);
  const shown = files.filter(isShown);
  if (shown.length === 0) return void inform(t('The files have no lines of these changes.'));
  const name = list.sessions.find(({ id }) => id === session)?.agentName ?? t('all sessions');
  const title = t('Changes by {0}', name);
  const resources = shown.map(({ path, before, now }) => [
    vscode.Uri.file(path),
    before === 'missing' ? undefined : changeUri(path, 'before', { session }),
    now === 'missing' ? undefined : changeUri(path, 'now', { session }),
  ]);
  await vscode.commands.executeCommand('vscode.changes', title, resources);
}

/** Opens the diff of one file. */
async function showOne(path: Path, of: Pick<ChangeSelection, 'group' | 'waits'>): Promise<void> {
  const title = vscode.l10n.t('{0} (changes)', visibleName(basename(path)));
  // What waits is compared with the file itself, where each change can be kept or undone.
  const isFile = of.waits === true && existsSync(path);
  const [before, now] = [
    changeUri(path, 'before', of),
    isFile ? vscode.Uri.file(path) : changeUri(path, 'now', of),
  ];
  await vscode.commands.executeCommand('vscode.diff', before, now, title, { preview: true });
}

const isWritten = ({ kind }: Pick<RestoredFile, 'kind'>): boolean =>
  ['restored', 'merged', 'removed'].includes(kind);

/** Says what happens to each file, and takes the changes back if the user agrees. */
async function restoreAfterQuestion(
  services: Services,
  selection: ChangeSelection,
  { isRedo = false }: { readonly isRedo?: boolean } = {},
): Promise<void> {
  const { t } = vscode.l10n;
  const desk = await services.openDesk();
  const previewed = (await desk?.call('changes.restore', { ...selection, previews: true })) ?? [];
  const outcomes = previewed.filter(({ kind }) => kind !== 'nothing');
  const [first] = outcomes;
  if (first === undefined) return void inform(t('The files no longer have these changes.'));
  const what = outcomes.length === 1 ? nameOf(first.path) : t('{0} files', outcomes.length);
  const hasConflict = outcomes.some(({ kind }) => kind === 'conflict');
  const detail = [
    ...outcomes.map(({ path, note = '' }) => `${nameOf(path)} ${note}`),
    ...(hasConflict
      ? [t('A file with conflicts opens with both versions. Nothing is written to it until you save.')]
      : []),
  ].join('\n');
  const canDo = hasConflict || outcomes.some(isWritten);
  const question = isRedo ? t('Redo the changes of {0}?', what) : t('Undo the changes of {0}?', what);
  const verb = isRedo ? t('Redo') : t('Undo');
  const chosen = await ask(question, detail, ...(canDo ? [verb] : []));
  if (chosen === verb) await restore(services, selection, isRedo);
}

async function restore(services: Services, selection: ChangeSelection, isRedo = false): Promise<void> {
  const { t } = vscode.l10n;
  const { companion } = services.list;
  const desk = await services.openDesk();
  if (companion === undefined || desk === undefined) return;
  const restored = await desk.call('changes.restore', { ...selection, isPartial: true });
  const refused = restored.filter(({ kind }) => kind === 'refused');
  if (refused.length > 0) showError(refused.map(({ reason = '' }) => reason).join(' '));
  const written = restored.filter(isWritten);
  if (written.length > 0) void offerReversal(services, written, isRedo);
  if (!restored.some(({ kind }) => kind === 'conflict')) return;
  for (const conflict of await companion.changes.conflicts(selection))
    await services.conflicts.open(conflict);
  void inform(t('Resolve the conflicts, then save. Nothing is written until you save.'));
}

async function offerReversal(
  services: Services,
  written: readonly Pick<RestoredFile, 'path' | 'restoration'>[],
  isRedo: boolean,
): Promise<void> {
  const { t } = vscode.l10n;
  const reverse = isRedo ? t('Undo') : t('Redo');
  const [first] = written;
  const what = written.length === 1 ? nameOf(first?.path ?? '') : t('{0} files', written.length);
  const ids = written.flatMap(({ restoration }) => restoration ?? []);
  const done = isRedo ? t('Changes of {0} redone.', what) : t('Changes of {0} undone.', what);
  if ((await inform(done, reverse)) === reverse) await restore(services, { ids }, !isRedo);
}

function nameOf(path: Path): string {
  return visibleName(vscode.workspace.asRelativePath(path));
}
