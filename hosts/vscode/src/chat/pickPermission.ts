import { basename } from 'node:path';
import type { ChatAnswer, ChatOption, ChatPermission } from '@tandem/companion/daemon';
import { visibleName } from '@tandem/ui/visibleName';
import * as vscode from 'vscode';
import { plainLabel } from '../say.js';
import type { ChatDiff } from './chatDiff.js';
import { pickItems } from './quickInput.js';

interface PermissionChoice extends vscode.QuickPickItem {
  readonly option?: ChatOption;
}

/**
 * Asks whether a tool may run. Undefined when the person left it: the request then goes on waiting in the panel, for
 * nothing was decided.
 */
export async function pickPermission(
  request: ChatPermission,
  how: {
    readonly signal: AbortSignal;
    /** How many more wait behind it. */
    readonly more: number;
    readonly showDiff: (diff: ChatDiff) => void;
  },
): Promise<ChatAnswer | undefined> {
  const { t } = vscode.l10n;
  const { signal, more, showDiff } = how;
  const [diff] = request.content.flatMap((content) => (content.type === 'diff' ? [content] : []));
  const choices: PermissionChoice[] = inOrder(request.options).map((option) => ({
    label: `$(${iconOf(option)}) ${plainLabel(option.name)}`,
    ...detailOf(option),
    option,
  }));
  if (diff !== undefined) {
    choices.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
    choices.push({ label: `$(diff) ${t('Show the change')}`, detail: t('The question goes on waiting.') });
  }
  const end = await pickItems({
    title: titleOf(request),
    placeholder:
      commandOf(request) ??
      (more > 0
        ? t('Escape leaves it to the chat. {0} more wait.', more)
        : t('Escape leaves the question to the chat')),
    buttons: [
      { iconPath: new vscode.ThemeIcon('comment-discussion'), tooltip: t('Leave the question to the chat') },
    ],
    items: choices,
    signal,
  });
  const option = end.kind === 'given' ? end.value[0]?.option : undefined;
  if (option !== undefined) return { optionId: option.optionId };
  if (end.kind === 'given' && diff !== undefined) {
    const { toolCallId } = request;
    showDiff(toolCallId === undefined ? diff : { ...diff, toolCallId });
  }
  return undefined;
}

/** What is asked, in a line. */
function titleOf({ title, toolKind, content }: ChatPermission): string {
  const { t } = vscode.l10n;
  const [file] = content.flatMap((each) => (each.type === 'diff' ? [basename(each.path)] : []));
  const what = visibleName(file ?? title);
  if (toolKind === 'edit') return t('Qwen asks: change {0}?', what);
  if (toolKind === 'delete') return t('Qwen asks: delete {0}?', what);
  if (toolKind === 'execute') return t('Qwen asks: run {0}?', what);
  if (toolKind === 'fetch') return t('Qwen asks: fetch {0}?', what);
  return t('Qwen asks: {0}?', what);
}

/** Yes for this once, no, and what lasts behind it: a key too many must not last. */
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
  if (scope === 'project') return { detail: t('Written to .qwen/settings.json of this folder.') };
  if (scope === 'user')
    return {
      detail: t('Written to .qwen/settings.json of your home folder: it holds in every folder.'),
    };
  return { detail: t('Holds until this session ends; nothing is written.') };
}

function commandOf({ input }: ChatPermission): string | undefined {
  if (typeof input !== 'object' || input === null || !('command' in input)) return undefined;
  return typeof input.command === 'string' ? `$ ${visibleName(input.command)}` : undefined;
}
