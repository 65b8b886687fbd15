import type { Locator, Page } from 'playwright-core';
import { openTab, pageAddress, type TabOptions } from './browser.js';
import type { TandemServer } from './tandem.js';

/** The review page, driven by its accessible names. It closes with the test. */
export class ReviewPage {
  private constructor(readonly page: Page) {}

  /** Opens the address that `tandem serve` prints, and waits until the page is connected. */
  static open(tandem: TandemServer, options: TabOptions = {}): Promise<ReviewPage> {
    return ReviewPage.openAt(pageAddress(tandem), options);
  }

  /** Opens any address, token included. */
  static async openAt(address: string, options: TabOptions = {}): Promise<ReviewPage> {
    const page = await openTab(options);
    await page.goto(address);
    await page.getByRole('banner').getByText('Connected', { exact: true }).waitFor();
    return new ReviewPage(page);
  }

  /** The pending reviews, the oldest first. */
  get queue(): Locator {
    return this.page.getByRole('list', { name: /^Pending reviews/ }).getByRole('button');
  }

  /** The pending review of a file in the queue, which shows name and folder separately. */
  waiting(fileName: string): Locator {
    return this.queue.filter({ hasText: fileName.slice(fileName.lastIndexOf('/') + 1) });
  }

  /** The active review. */
  review(fileName: string): Locator {
    return this.page.getByRole('region', { name: new RegExp(`^Review of ${quoted(fileName)} by `) });
  }

  /** The text of a proposal, which can be edited. */
  proposal(fileName: string): Locator {
    return this.page.getByRole('textbox', { name: `Proposal: ${fileName}` });
  }

  /** Chooses a review in the queue and waits until its text is shown. */
  async openReview(fileName: string): Promise<Locator> {
    await this.waiting(fileName).click();
    const text = this.proposal(fileName);
    await text.waitFor();
    return text;
  }

  async accept(fileName: string): Promise<void> {
    await this.review(fileName)
      .getByRole('button', { name: /^Accept/ })
      .click();
  }

  async reject(fileName: string): Promise<void> {
    await this.review(fileName)
      .getByRole('button', { name: /^Reject/ })
      .click();
  }

  /** Waits until the active review has ended, with this message. */
  async waitForEnd(fileName: string, words: string | RegExp): Promise<void> {
    await this.review(fileName).getByRole('paragraph').filter({ hasText: words }).waitFor();
  }

  /** The content of the clipboard. */
  clipboard(): Promise<string> {
    return this.page.evaluate('navigator.clipboard.readText()');
  }

  /** A document's text. */
  document(fileName: string): Locator {
    return this.page.getByRole('textbox', { name: `Text of ${fileName}`, exact: true });
  }

  /** The tab of a document, whatever its name adds. */
  documentTab(fileName: string): Locator {
    return this.page.getByRole('tab', { name: new RegExp(`^${quoted(fileName)}(,|$)`) });
  }

  /** The files of the workspace. */
  get tree(): Locator {
    return this.page.getByRole('tree', { name: 'Files' });
  }

  /** A row of the tree by file name, whatever its name adds. */
  treeItem(name: string): Locator {
    return this.tree.getByRole('treeitem', { name: new RegExp(`^${quoted(name)}(,|$)`) });
  }

  /** The line that shows what is shared with whom. */
  get sharing(): Locator {
    return this.page.getByRole('contentinfo');
  }

  /** Waits until the page announces this to screen readers. */
  async waitForMessage(words: string | RegExp): Promise<void> {
    await this.page.getByRole('status', { name: 'Messages' }).filter({ hasText: words }).waitFor();
  }

  /** Opens a file of the workspace by quick open, and waits until its text has the focus. */
  async openFile(fileName: string): Promise<Locator> {
    await this.page.keyboard.press('ControlOrMeta+p');
    const field = this.page.getByRole('combobox', { name: 'File or review' });
    await field.fill(fileName);
    await this.page.getByRole('option', { name: fileName }).first().waitFor();
    await field.press('Enter');
    const text = this.document(fileName);
    await text.and(this.page.locator(':focus')).waitFor();
    return text;
  }
}

/** The visible lines of an editor, without hidden and collapsed ones. */
export function linesOf(text: Locator): Promise<string[]> {
  return text.locator('.cm-line').allTextContents();
}

/** Escapes a text for use in a regular expression. */
function quoted(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
