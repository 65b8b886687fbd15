import type { Locator, Page } from 'playwright-core';
import type { TabOptions } from '../browser.js';
import { ReviewPage } from '../reviewPage.js';
import type { TandemServer } from '../tandem.js';

/** The chat in the page as a user finds it: by what things are called. It goes away with the test. */
export class ChatPage {
  readonly page: Page;

  private constructor(readonly review: ReviewPage) {
    this.page = review.page;
  }

  /** Opens the page, and the chat by its key. */
  static async open(tandem: TandemServer, options: TabOptions = {}): Promise<ChatPage> {
    const chat = new ChatPage(await ReviewPage.open(tandem, options));
    await chat.page.keyboard.press('Alt+c');
    await chat.panel.waitFor();
    return chat;
  }

  /** The same, and waits until something can be asked. */
  static async connected(tandem: TandemServer, options: TabOptions = {}): Promise<ChatPage> {
    const chat = await ChatPage.open(tandem, options);
    await chat.field.waitFor();
    await chat.panel.getByText(', Connected', { exact: true }).waitFor({ state: 'attached' });
    return chat;
  }

  /** Begins a chat of its own, so that nothing of another test is in it. */
  async begin(): Promise<void> {
    await this.button('New chat').click();
    await this.panel.getByRole('heading', { name: 'What should Qwen do?' }).waitFor();
    await this.field.and(this.page.locator(':focus')).waitFor();
  }

  get panel(): Locator {
    return this.page.getByRole('complementary', { name: 'Chat', exact: true });
  }

  /** Where the user writes. */
  get field(): Locator {
    return this.panel.getByRole('textbox', { name: 'Message to Qwen' });
  }

  get conversation(): Locator {
    return this.panel.getByRole('region', { name: 'Conversation' });
  }

  /** What the model has said, the oldest first. */
  get answers(): Locator {
    return this.conversation.getByRole('article', { name: 'Qwen' });
  }

  /** What the user has said. */
  get said(): Locator {
    return this.conversation.getByRole('article', { name: 'You' });
  }

  tool(title: string | RegExp): Locator {
    return this.conversation.getByRole('article', { name: title });
  }

  /** What waits for an answer. */
  get asked(): Locator {
    return this.page.getByRole('region', { name: 'Waiting for your answer' });
  }

  button(name: string | RegExp): Locator {
    return this.panel.getByRole('button', { name, exact: true });
  }

  /** Writes and sends. */
  async send(text: string): Promise<void> {
    await this.field.fill(text);
    await this.field.press('Enter');
  }

  /** Chooses in one of the lists by the field, and waits until the daemon has agreed: the list shows what holds. */
  async choose(list: 'Model' | 'Approval mode', option: string): Promise<void> {
    const select = this.panel.getByRole('combobox', { name: list });
    await select.selectOption(option);
    await select.locator('option:checked').filter({ hasText: option }).waitFor({ state: 'attached' });
  }

  /** Pastes a PNG, given in base64, into the field. */
  async paste(png: string): Promise<void> {
    await this.field.evaluate((field, data) => {
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([bytes], 'picture.png', { type: 'image/png' }));
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, png);
  }

  /** Waits until an answer of the model holds this text. */
  async answered(text: string | RegExp, limit: { readonly timeout?: number } = {}): Promise<void> {
    await this.answers.filter({ hasText: text }).last().waitFor(limit);
  }

  /** Waits until a screen reader is told this by the chat. */
  async waitForMessage(words: string | RegExp): Promise<void> {
    await this.page
      .getByRole('status', { name: 'Chat', exact: true })
      .filter({ hasText: words })
      .waitFor({ state: 'attached' });
  }
}
