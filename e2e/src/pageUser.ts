import { basename, relative } from 'node:path';
import type { Path, Range } from '@tandem/core';
import type { Review } from '@tandem/reviews';
import type { EditorUser } from '@tandem/testing';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { PageEditor } from '../../hosts/standalone/src/editor/pageEditor.js';
import type { ReviewPage } from './reviewPage.js';

/** A user who does everything in the page, with keys and accessible names. */
export class PageUser implements EditorUser {
  readonly #page: ReviewPage;
  readonly #editor: PageEditor;
  readonly #folder: Path;

  /** `editor` distinguishes reviews: in the page, two reviews of one file look the same. */
  constructor(page: ReviewPage, editor: PageEditor, folder: Path) {
    this.#page = page;
    this.#editor = editor;
    this.#folder = folder;
  }

  async focus(path: Path): Promise<void> {
    const text = await this.#page.openFile(this.#label(path));
    await this.#hasFocus(text);
  }

  async select(path: Path, { start, end }: Range): Promise<void> {
    const text = this.#page.document(this.#label(path));
    const press = async (key: string, times: number): Promise<void> => {
      for (let time = 0; time < times; time++) await text.press(key);
    };
    await text.press('ControlOrMeta+Home');
    await press('ArrowDown', start.line);
    await press('ArrowRight', start.character);
    await press('Shift+ArrowDown', end.line - start.line);
    if (end.line > start.line) await text.press('Shift+Home');
    await press('Shift+ArrowRight', end.line > start.line ? end.character : end.character - start.character);
  }

  async type(path: Path, text: string): Promise<void> {
    await this.focus(path);
    await this.#replaceAll(this.#page.document(this.#label(path)), text);
  }

  async save(path: Path): Promise<void> {
    await this.#page.document(this.#label(path)).press('ControlOrMeta+s');
  }

  async close(path: Path): Promise<void> {
    const tab = this.#page.documentTab(this.#label(path));
    await tab.focus();
    await tab.press('Delete');
    await tab.waitFor({ state: 'detached' });
  }

  /** Waits until the page's queue equals the editor's. */
  async reviewsInView(): Promise<readonly Review[]> {
    const seen = async (): Promise<readonly Review[] | undefined> => {
      const pending = this.#pending;
      const rows = await this.#page.queue.allTextContents();
      const isRow = ({ proposal }: Review, index: number): boolean =>
        rows[index]?.startsWith(basename(proposal.path)) === true;
      return rows.length === pending.length && pending.every(isRow) ? pending : undefined;
    };
    let reviews: readonly Review[] | undefined;
    const look = async (): Promise<boolean> => {
      reviews = await seen();
      return reviews !== undefined;
    };
    await expect.poll(look, { timeout: 10_000 }).toBe(true);
    return reviews ?? [];
  }

  async edit(review: Review, text: string): Promise<void> {
    await this.#open(review);
    await this.#replaceAll(this.#page.proposal(this.#label(review.proposal.path)), text);
  }

  async accept(review: Review): Promise<void> {
    await this.#open(review);
    await this.#page.accept(this.#label(review.proposal.path));
  }

  async reject(review: Review): Promise<void> {
    await this.#open(review);
    await this.#page.reject(this.#label(review.proposal.path));
  }

  get #pending(): readonly Review[] {
    return this.#editor.shownReviews.map(({ review }) => review).filter(({ state }) => state === 'pending');
  }

  async #open(review: Review): Promise<void> {
    const label = this.#label(review.proposal.path);
    const row = (await this.reviewsInView()).indexOf(review);
    if (row < 0) throw new Error(`The queue does not show review ${review.id}.`);
    await this.#page.queue.nth(row).click();
    await this.#page.proposal(label).waitFor();
    await this.#page
      .review(label)
      .getByRole('button', { name: /^Accept/ })
      .waitFor();
  }

  async #replaceAll(text: Locator, content: string): Promise<void> {
    await text.press('ControlOrMeta+a');
    await text.page().evaluate((copied) => navigator.clipboard.writeText(copied), content);
    await text.press('ControlOrMeta+v');
  }

  async #hasFocus(text: Locator): Promise<void> {
    await text.and(text.page().locator(':focus')).waitFor();
  }

  #label(path: Path): string {
    return relative(this.#folder, path);
  }
}
