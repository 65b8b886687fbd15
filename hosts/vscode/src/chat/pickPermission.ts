import {
  type ChatAnswer,
  type ChatOption,
  type ChatPermission,
  isWholeChange,
  permissionDetails,
} from '@tandem/companion/chat';
import { describeError, visibleName } from '@tandem/core';
import * as vscode from 'vscode';
import { plainLabel, showError } from '../messages.js';
import type { ChatDiff } from './chatDiffs.js';
import { isShort, permissionRows, textRows } from './permissionRows.js';
import { pickItems } from './quickInput.js';

interface PermissionChoice extends vscode.QuickPickItem {
  readonly option?: ChatOption;
  /** Opens the whole request, to be read and answered there. */
  readonly show?: () => unknown;
  /** Opens the whole request, and asks again beside it. */
  readonly read?: () => Promise<void>;
}

/** How many rows a quick pick shows without scrolling. */
const mostRows = 12;

/**
 * Asks whether a tool may run, and shows everything that would be executed. If that does not fit, a change opens as a diff, and
 * the question is asked again beside it; anything else can only be rejected here, and allowed in the chat. Undefined if the user
 * leaves: the request stays pending there.
 */
export async function pickPermission(
  request: ChatPermission,
  how: {
    readonly signal: AbortSignal;
    /** The number of other pending requests. */
    readonly more: number;
    readonly showDiff: (diff: ChatDiff) => Promise<void>;
    readonly showChat: () => void;
    /** Whether the diff of the whole request is open. */
    readonly isRead?: boolean;
  },
): Promise<ChatAnswer | undefined> {
  const { t } = vscode.l10n;
  const { signal, more, showDiff, showChat, isRead = false } = how;
  const rows = isShort(request) && !isRead ? permissionRows(request) : [];
  const fits = isRead || (rows.length > 0 && rows.length <= mostRows);
  const { toolCallId } = request;
  const shows: PermissionChoice[] = request.content.flatMap((diff): PermissionChoice[] => {
    if (diff.type !== 'diff' || isRead) return [];
    const open = (): Promise<void> => showDiff({ ...diff, toolCallId });
    if (fits)
      return [
        { label: `$(diff) ${t('Show the change')}`, detail: t('The question stays open.'), show: open },
      ];
    if (!isWholeChange(request, diff)) return [];
    const detail = t('It is too long for this list. The answers are listed again beside it.');
    return [{ label: `$(diff) ${t('Read the change, then answer')}`, detail, read: open }];
  });
  if (!fits) {
    shows.push({
      label: `$(comment-discussion) ${t('Read it all in the chat')}`,
      detail: t('It is too long for this list. You can allow it there.'),
      show: showChat,
    });
  }
  const answers: PermissionChoice[] = inOrder(request.options)
    .filter(({ isAllow, name }) => !isAllow || (fits && textRows(name).length === 1))
    .map((option) => ({
      label: `$(${iconOf(option)}) ${plainLabel(option.name)}`,
      ...detailOf(option),
      option,
    }));
  const separator = (label: string): PermissionChoice => ({
    label,
    kind: vscode.QuickPickItemKind.Separator,
  });
  const cut = rows.length - mostRows;
  const shown = [...rows.slice(0, mostRows), ...(cut > 0 ? [t('… and {0} more lines', cut)] : [])].map(
    (row): PermissionChoice => ({ label: plainLabel(row), alwaysShow: true }),
  );
  const end = await pickItems({
    title: titleOf(request),
    placeholder: isRead
      ? t('The whole change is open. Read it, then answer.')
      : more > 0
        ? t('Press Escape to answer later in the chat. Other open questions: {0}', more)
        : t('Press Escape to answer later in the chat'),
    buttons: [
      { iconPath: new vscode.ThemeIcon('comment-discussion'), tooltip: t('Answer later in the chat') },
    ],
    items: [
      // Enter must not allow anything that was not shown completely.
      ...(fits ? [...answers, ...shows] : [...shows, ...answers]),
      ...(shown.length > 0 ? [separator(t('What is executed')), ...shown] : []),
    ],
    isToRead: ({ option, show, read }) => option === undefined && show === undefined && read === undefined,
    staysOpen: isRead,
    signal,
  });
  if (end.kind !== 'given') return undefined;
  const [chosen] = end.value;
  if (chosen?.read !== undefined) {
    try {
      await chosen.read();
    } catch (error) {
      showError(t('The change could not be opened: {0}', describeError(error)));
      return undefined;
    }
    return signal.aborted ? undefined : pickPermission(request, { ...how, isRead: true });
  }
  chosen?.show?.();
  return chosen?.option && { optionId: chosen.option.optionId };
}

/** The question in one line. */
function titleOf(request: ChatPermission): string {
  const { t } = vscode.l10n;
  const { action, subject } = permissionDetails(request);
  if (subject === undefined) return t('Qwen asks: run this command?');
  const what = visibleName(subject);
  if (action === 'change') return t('Qwen asks: change {0}?', what);
  if (action === 'delete') return t('Qwen asks: delete {0}?', what);
  if (action === 'move') return t('Qwen asks: move {0}?', what);
  if (action === 'run') return t('Qwen asks: run {0}?', what);
  if (action === 'fetch') return t('Qwen asks: fetch {0}?', what);
  return t('Qwen asks: allow {0}?', what);
}

/** Allow once, reject, then the lasting options, so that one key press too many allows nothing permanently. */
function inOrder(options: readonly ChatOption[]): ChatOption[] {
  const rank = ({ isAllow, scope }: ChatOption): number => (!isAllow ? 1 : scope === 'once' ? 0 : 2);
  return options.toSorted((a, b) => rank(a) - rank(b));
}

function iconOf({ isAllow, scope }: ChatOption): string {
  if (!isAllow) return 'close';
  return scope === 'once' ? 'check' : 'check-all';
}

function detailOf({ isAllow, scope }: ChatOption): { readonly detail?: string } {
  const { t } = vscode.l10n;
  if (!isAllow || scope === 'once') return {};
  if (scope === 'project') return { detail: t('Written to .qwen/settings.json in this folder.') };
  if (scope === 'user')
    return {
      detail: t('Written to .qwen/settings.json in your home folder. Applies to every folder.'),
    };
  return { detail: t('Applies until this chat ends. No settings are changed.') };
}
