import * as vscode from 'vscode';

/** The common properties of each step of a question in quick picks. */
export interface StepOptions {
  readonly title: string;
  /** Absent if there is only one. */
  readonly step?: { readonly number: number; readonly of: number };
  /** Shown as soon as the step accepts an answer. */
  readonly buttons: readonly vscode.QuickInputButton[];
  readonly placeholder: string;
  /** Whether it stays while the user reads in an editor. */
  readonly staysOpen?: boolean;
  /** Aborts when the question is answered elsewhere or can no longer be answered. */
  readonly signal: AbortSignal;
}

/** How a step ended. `left`: by Escape, by a click elsewhere, or because the signal aborted. */
export type StepEnd<T> =
  | { readonly kind: 'given'; readonly value: T }
  | { readonly kind: 'button'; readonly button: vscode.QuickInputButton }
  | { readonly kind: 'left' };

/** During this time, keys decide nothing, and do not close the question for good: they were meant for something else. */
const startledMs = 500;

/** Asks for one or several of the items. Never rejects. */
export function pickItems<T extends vscode.QuickPickItem>(
  options: StepOptions & {
    readonly items: readonly T[];
    readonly isMultiSelect?: boolean;
    readonly selected?: readonly T[];
    /** Items that are only for reading; choosing one answers nothing. */
    readonly isToRead?: (item: T) => boolean;
  },
): Promise<StepEnd<readonly T[]>> {
  const pick = vscode.window.createQuickPick<T>();
  pick.items = options.items;
  pick.matchOnDetail = true;
  pick.canSelectMany = options.isMultiSelect === true;
  if (options.selected !== undefined && pick.canSelectMany) pick.selectedItems = options.selected;
  pick.placeholder = options.placeholder;
  const { isToRead = () => false } = options;
  return run(
    pick,
    options,
    () => {
      const { selectedItems } = pick;
      return selectedItems.length > 0 && !selectedItems.some(isToRead) ? selectedItems : undefined;
    },
    // VS Code does not report a click on a selected item.
    () => {
      if (!pick.canSelectMany) pick.selectedItems = [];
    },
  );
}

/** Asks for a text that is not empty. Never rejects. */
export function askText(options: StepOptions & { readonly value?: string }): Promise<StepEnd<string>> {
  const input = vscode.window.createInputBox();
  input.placeholder = options.placeholder;
  input.value = options.value ?? '';
  return run(input, options, () => input.value.trim() || undefined);
}

function run<T>(
  input: vscode.QuickInput & Pick<vscode.InputBox, 'buttons' | 'onDidAccept' | 'onDidTriggerButton'>,
  { title, step, buttons, staysOpen = false, signal }: StepOptions,
  read: () => T | undefined,
  onNoAnswer: () => void = () => {},
): Promise<StepEnd<T>> {
  input.title = title;
  input.ignoreFocusOut = staysOpen;
  if (step !== undefined) {
    input.step = step.number;
    input.totalSteps = step.of;
  }
  return new Promise((resolve) => {
    let isStartled = true;
    let startled: NodeJS.Timeout | undefined;
    const show = (): void => {
      clearTimeout(startled);
      startled = setTimeout(() => {
        isStartled = false;
        input.buttons = buttons;
      }, startledMs);
      input.show();
    };
    const end = (how: StepEnd<T>): void => {
      clearTimeout(startled);
      signal.removeEventListener('abort', leave);
      resolve(how);
      input.dispose();
    };
    const leave = (): void => end({ kind: 'left' });
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave);
    let wasShownAgain = false;
    input.onDidHide(() => {
      if (!isStartled || wasShownAgain) return leave();
      // Another view took the focus late, or a key was meant for something else. Once, so that two views never compete.
      wasShownAgain = true;
      show();
    });
    input.onDidTriggerButton((button) => end({ kind: 'button', button }));
    input.onDidAccept(() => {
      const value = isStartled ? undefined : read();
      if (value === undefined) onNoAnswer();
      else end({ kind: 'given', value });
    });
    show();
  });
}
