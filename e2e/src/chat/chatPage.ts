import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TabOptions } from '../browser.js';
import { ReviewPage } from '../reviewPage.js';
import type { TandemServer } from '../tandem.js';

/** The chat in the page, driven by accessible names. It closes with the test. */
export class ChatPage {
  readonly page: Page;

  private constructor(readonly review: ReviewPage) {
    this.page = review.page;
  }

  /** Opens the page, then the chat with its key. */
  static async open(tandem: TandemServer, options: TabOptions = {}): Promise<ChatPage> {
    const chat = new ChatPage(await ReviewPage.open(tandem, options));
    await chat.page.keyboard.press('Alt+c');
    await chat.panel.waitFor();
    return chat;
  }

  /** Like `open`, and waits until the chat accepts messages. */
  static async connected(tandem: TandemServer, options: TabOptions = {}): Promise<ChatPage> {
    const chat = await ChatPage.open(tandem, options);
    await chat.field.waitFor();
    await chat.panel.getByText(', Connected', { exact: true }).waitFor({ state: 'attached' });
    return chat;
  }

  /** Starts a new chat, so that it contains nothing from other tests. */
  async begin(): Promise<void> {
    await this.button('New chat').click();
    await this.panel.getByRole('heading', { name: 'What should Qwen do?' }).waitFor();
    await this.field.and(this.page.locator(':focus')).waitFor();
  }

  /** At the side of the page, or all of a narrow one. */
  get panel(): Locator {
    const name = { name: 'Chat', exact: true };
    return this.page.getByRole('complementary', name).or(this.page.getByRole('main', name));
  }

  /** The message field. */
  get field(): Locator {
    return this.panel.getByRole('textbox', { name: 'Message to Qwen' });
  }

  get conversation(): Locator {
    return this.panel.getByRole('region', { name: 'Conversation' });
  }

  /** The messages of the model, the oldest first. */
  get answers(): Locator {
    return this.conversation.getByRole('article', { name: 'Qwen' });
  }

  /** The messages of the user. */
  get said(): Locator {
    return this.conversation.getByRole('article', { name: 'You' });
  }

  tool(title: string | RegExp): Locator {
    return this.conversation.getByRole('article', { name: title });
  }

  /** The pending requests. */
  get asked(): Locator {
    return this.page.getByRole('region', { name: 'Waiting for your answer' });
  }

  /** Waits until every place that shows a permission takes input. None does right after it has appeared. */
  async takesAnswers(): Promise<void> {
    await expect.poll(() => this.page.locator('[data-answers] button[aria-disabled]').count()).toBe(0);
  }

  button(name: string | RegExp): Locator {
    return this.panel.getByRole('button', { name, exact: true });
  }

  /** Types a message and sends it. */
  async send(text: string): Promise<void> {
    await this.field.fill(text);
    await this.field.press('Enter');
  }

  /** Chooses in one of the lists beside the field, and waits until the list shows that the daemon has confirmed it. */
  async choose(list: 'Model' | 'Approval mode', option: string): Promise<void> {
    const select = this.panel.getByRole('combobox', { name: list });
    await select.selectOption(option);
    await select.locator('option:checked').filter({ hasText: option }).waitFor({ state: 'attached' });
  }

  /** Pastes a PNG in base64 into the field. */
  async paste(png: string): Promise<void> {
    await this.field.evaluate((field, data) => {
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([bytes], 'picture.png', { type: 'image/png' }));
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, png);
  }

  /** Waits until an answer of the model contains this text. */
  async answered(text: string | RegExp, limit: { readonly timeout?: number } = {}): Promise<void> {
    await this.answers.filter({ hasText: text }).last().waitFor(limit);
  }

  /** Waits until the chat announces this to screen readers. */
  async waitForMessage(words: string | RegExp): Promise<void> {
    const announced = await this.watchFor(words);
    await announced();
  }

  /**
   * Resolves once announcements are watched, to a function that waits for this one. For an announcement that another one may
   * replace at once: call it before the cause.
   */
  async watchFor(words: string | RegExp): Promise<() => Promise<void>> {
    const watched = await this.page.getByRole('status', { name: 'Chat', exact: true }).evaluateHandle(
      (status, { text, source }) => {
        const seen: string[] = [];
        const found = new Promise<void>((resolve, reject) => {
          setTimeout(() => reject(new Error(`The chat announced ${JSON.stringify(seen)}.`)), 60_000);
          const look = () => {
            const shown = status.textContent ?? '';
            seen.push(shown);
            if (source === undefined ? shown.includes(text) : new RegExp(source).test(shown)) resolve();
          };
          new MutationObserver(look).observe(status, { childList: true, characterData: true, subtree: true });
          look();
        });
        return { found };
      },
      typeof words === 'string' ? { text: words } : { text: '', source: words.source },
    );
    return () => watched.evaluate(({ found }) => found);
  }
}
