import type { Frame, FrameLocator, Locator } from 'playwright-core';
import type { EditorWindow } from './editorWindow.js';

/** The chat view of a window, driven by its accessible names. */
export class ChatFrame {
  private constructor(
    readonly window: EditorWindow,
    readonly inside: FrameLocator,
  ) {}

  /** Opens the view by its command, and waits for the panel. */
  static async open(window: EditorWindow): Promise<ChatFrame> {
    await window.command('Tandem: Focus on Chat View');
    const chat = new ChatFrame(window, window.chatWebview);
    await chat.inside.locator('[data-chat]').waitFor();
    return chat;
  }

  /** Connects to a daemon as a user does, and waits until the chat accepts prompts. */
  async connect(daemon: { readonly url: string; readonly token: string }): Promise<void> {
    await this.name(daemon);
    await this.field.waitFor();
  }

  /** Enters the daemon's address and token, whatever the outcome. */
  async name(daemon: { readonly url: string; readonly token: string }): Promise<void> {
    await this.window.command('Tandem: Connect to a Running Daemon');
    await this.fillInput('(1/2)', daemon.url);
    await this.fillInput('(2/2)', daemon.token);
  }

  /** Starts a new chat, so that it contains nothing from other tests. */
  async begin(): Promise<void> {
    await this.inside.getByRole('button', { name: 'New chat', exact: true }).click();
    await this.inside.getByRole('heading', { name: 'What should Qwen do?' }).waitFor();
    await this.inside.locator('textarea:focus').waitFor();
  }

  get field(): Locator {
    return this.inside.getByRole('textbox', { name: 'Message to Qwen' });
  }

  get answers(): Locator {
    return this.inside.getByRole('article', { name: 'Qwen' });
  }

  /** The pending questions in the panel. */
  get asked(): Locator {
    return this.inside.getByRole('region', { name: 'Waiting for your answer' });
  }

  /** Whether the window shows all of an element of the panel: a side bar can cut its views. */
  async isInView(of: Locator): Promise<boolean> {
    const box = await of.boundingBox();
    if (box === null) return false;
    return this.window.page.evaluate(({ x, y, width, height }) => {
      const corners = [
        [x + 1, y + 1],
        [x + width - 1, y + height - 1],
      ] as const;
      return corners.every(([left, top]) => document.elementFromPoint(left, top)?.matches('iframe.webview'));
    }, box);
  }

  /** The quick pick with this question. */
  pick(title: string | RegExp): Locator {
    return this.window.quickInput.filter({ hasText: title });
  }

  async send(text: string): Promise<void> {
    await this.field.fill(text);
    await this.field.press('Enter');
  }

  async answered(text: string | RegExp): Promise<void> {
    await this.answers.filter({ hasText: text }).last().waitFor();
  }

  /** Answers or leaves a question once its buttons are shown, and waits until it is gone. Keys before that do nothing. */
  async settle(question: Locator, press: () => Promise<void>): Promise<void> {
    await this.window.quickInput.locator('.quick-input-titlebar .action-label').first().waitFor();
    await press();
    await question.waitFor({ state: 'hidden' });
  }

  /** Answers a question in an input box with free text. */
  async settleByWords(title: string, text: string): Promise<void> {
    const box = this.pick(title);
    const input = box.locator('input.input').first();
    await input.fill(text);
    await this.settle(box, () => input.press('Enter'));
  }

  /** Waits for an input box with this title, fills it and continues. */
  async fillInput(title: string, text: string): Promise<void> {
    const box = this.pick(title);
    const input = box.locator('input.input').first();
    await input.fill(text);
    await input.press('Enter');
    await box.waitFor({ state: 'hidden' });
  }

  /** The frame that the panel runs in. */
  async frame(): Promise<Frame> {
    const element = await this.inside.locator('body').elementHandle();
    const frame = await element?.ownerFrame();
    if (!frame) throw new Error('The chat has no frame.');
    return frame;
  }
}
