import type * as vscode from 'vscode';
import { EventEmitter } from './values.js';

/** A notification or a dialog, until the user answers it. */
export interface FakeMessage {
  readonly kind: 'information' | 'warning' | 'error';
  readonly text: string;
  readonly isModal: boolean;
  readonly detail: string | undefined;
  readonly buttons: readonly string[];
  /** Presses a button, or closes it. */
  answer(button?: string): void;
}

/** A quick pick or an input box that is open. */
export class FakeInput<T extends vscode.QuickPickItem = vscode.QuickPickItem> {
  readonly #accepted = new EventEmitter<void>();
  readonly #hidden = new EventEmitter<void>();
  readonly #triggered = new EventEmitter<vscode.QuickInputButton>();
  readonly onDidAccept = this.#accepted.event;
  readonly onDidHide = this.#hidden.event;
  readonly onDidTriggerButton = this.#triggered.event;
  readonly #onShow: (input: FakeInput) => void;
  title: string | undefined;
  placeholder: string | undefined;
  value = '';
  items: readonly T[] = [];
  selectedItems: readonly T[] = [];
  canSelectMany = false;
  matchOnDetail = false;
  step: number | undefined;
  totalSteps: number | undefined;
  buttons: readonly vscode.QuickInputButton[] = [];
  isDisposed = false;
  isVisible = false;
  ignoreFocusOut = false;

  constructor(onShow: (input: FakeInput) => void) {
    this.#onShow = onShow;
  }

  show(): void {
    this.isVisible = true;
    this.#onShow(this as unknown as FakeInput);
  }

  dispose(): void {
    this.isDisposed = true;
  }

  get labels(): string[] {
    return this.items.map(({ label }) => label);
  }

  /** The user selects the items with these labels, and presses Enter. */
  choose(...labels: readonly string[]): void {
    const chosen = labels.map((label) => {
      const found = this.items.find((item) => item.label.includes(label));
      if (found === undefined) throw new Error(`"${label}" is not among ${this.labels.join(', ')}`);
      return found;
    });
    this.selectedItems = chosen;
    this.#accepted.fire();
  }

  /** The user types a text, and presses Enter. */
  enter(value: string): void {
    this.value = value;
    this.#accepted.fire();
  }

  press(button: vscode.QuickInputButton): void {
    this.#triggered.fire(button);
  }

  escape(): void {
    this.isVisible = false;
    this.#hidden.fire();
  }
}

/** A guard, for a busy machine. */
const limitMs = 20_000;

/** The window's questions and messages. */
export class FakeDialogs {
  readonly messages: FakeMessage[] = [];
  /** The input that is open. */
  input: FakeInput | undefined;
  readonly statusMessages: string[] = [];
  readonly #appeared = new EventEmitter<void>();

  show(kind: FakeMessage['kind'], text: string, rest: readonly unknown[]): Promise<unknown> {
    const isOptions = (value: unknown): value is vscode.MessageOptions =>
      typeof value === 'object' && value !== null && !('title' in value);
    const options = rest.find(isOptions);
    const items = rest.filter((each) => !isOptions(each));
    const titleOf = (item: unknown): string =>
      typeof item === 'string' ? item : String((item as vscode.MessageItem).title);
    return new Promise((resolve) => {
      const message: FakeMessage = {
        kind,
        text,
        isModal: options?.modal === true,
        detail: options?.detail,
        buttons: items.map(titleOf),
        answer: (button) => {
          this.messages.splice(this.messages.indexOf(message), 1);
          const chosen = items.find((item) => titleOf(item) === button);
          if (button !== undefined && chosen === undefined)
            throw new Error(`"${button}" is no button of "${text}"`);
          const closing = items.find((item) => (item as vscode.MessageItem).isCloseAffordance === true);
          resolve(chosen ?? closing);
        },
      };
      this.messages.push(message);
      this.#appeared.fire();
    });
  }

  open<T extends vscode.QuickPickItem>(): FakeInput<T> {
    return new FakeInput<T>((input) => {
      this.input = input;
      this.#appeared.fire();
    });
  }

  pick(
    items: readonly (string | vscode.QuickPickItem)[],
    options: vscode.QuickPickOptions = {},
  ): Promise<unknown> {
    const input = this.open();
    input.items = items.map((item) => (typeof item === 'string' ? { label: item } : item));
    input.title = options.title;
    input.placeholder = options.placeHolder;
    return this.#result(input, () => items[input.items.indexOf(input.selectedItems[0] ?? { label: '' })]);
  }

  ask(options: vscode.InputBoxOptions = {}): Promise<string | undefined> {
    const input = this.open();
    input.title = options.title;
    input.placeholder = options.placeHolder;
    input.value = options.value ?? '';
    return this.#result(input, () => input.value);
  }

  /** Resolves to the oldest open message with these words. */
  async message(words: string): Promise<FakeMessage> {
    return this.#until(
      () => this.messages.find(({ text }) => text.includes(words)),
      () => `no message "${words}", but ${JSON.stringify(this.messages.map(({ text }) => text))}`,
    );
  }

  /** Resolves to the open input with these words in its title or placeholder. */
  async shownInput(words = ''): Promise<FakeInput> {
    const matches = ({ title = '', placeholder = '', isDisposed }: FakeInput): boolean =>
      !isDisposed && `${title} ${placeholder}`.includes(words);
    return this.#until(
      () => (this.input !== undefined && matches(this.input) ? this.input : undefined),
      () => `no input "${words}"`,
    );
  }

  #result<T>(input: FakeInput, read: () => T): Promise<T | undefined> {
    return new Promise((resolve) => {
      const end = (value: T | undefined): void => {
        input.dispose();
        resolve(value);
      };
      input.onDidAccept(() => end(read()));
      input.onDidHide(() => end(undefined));
      input.show();
    });
  }

  #until<T>(find: () => T | undefined, describe: () => string): Promise<T> {
    const found = find();
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(() => reject(new Error(describe()))), limitMs);
      const listener = this.#appeared.event(() => {
        const next = find();
        if (next !== undefined) end(() => resolve(next));
      });
      const end = (act: () => void): void => {
        clearTimeout(timer);
        listener.dispose();
        act();
      };
    });
  }
}
