import type { Locator } from 'playwright-core';
import { type EditorWindow, visibleText } from './editorWindow.js';

/** The limit for the effect of a command on the text. */
const lensLimit = 15_000;

/** The active two-sided diff. */
export class DiffView {
  constructor(private readonly window: EditorWindow) {}

  get root(): Locator {
    return this.window.activeGroup.locator('.monaco-diff-editor').first();
  }

  /** The right side, while it has the focus. */
  get focusedSide(): Locator {
    return this.root.locator('.editor.modified.focused, .editor.modified .focused').first();
  }

  get original(): Locator {
    return this.root.locator('.editor.original');
  }

  get modified(): Locator {
    return this.root.locator('.editor.modified');
  }

  /** The button that accepts, in the title bar. */
  get accept(): Locator {
    return this.window.titleButton('Accept');
  }

  /** The button that rejects, in the title bar. */
  get reject(): Locator {
    return this.window.titleButton('Reject');
  }

  /** Waits until a line of the right side has this text. */
  async waitForLine(text: string): Promise<void> {
    await this.line(text).first().waitFor();
  }

  /** A line of the right side. */
  line(text: string): Locator {
    return this.modified.locator('.view-line').filter({ hasText: text });
  }

  modifiedText(): Promise<string> {
    return visibleText(this.modified);
  }

  originalText(): Promise<string> {
    return visibleText(this.original);
  }

  /** Places the cursor at the end of a line of the right side, as a click and the End key do. */
  async focusLine(text: string): Promise<void> {
    await this.line(text).first().click();
    await this.focusedSide.waitFor();
    await this.window.page.keyboard.press('End');
  }

  /** Adds text at the end of a line of the right side. */
  async appendToLine(line: string, text: string): Promise<void> {
    await this.focusLine(line);
    await this.window.page.keyboard.type(text);
    await this.waitForLine(`${line}${text}`);
  }

  /**
   * Presses a key that decides, and again if nothing happens: keys right after the diff opened are ignored, and a busy
   * machine may report late that it opened.
   */
  decideByKey(key: string): Promise<void> {
    return untilDone(
      () => this.window.page.keyboard.press(key),
      () => this.root.waitFor({ state: 'detached', timeout: lensLimit }),
    );
  }

  /** Clicks the arrow between the sides that restores the file's lines, beside a line of the right side. */
  async revert(proposed: string): Promise<void> {
    const line = this.line(proposed).first();
    await line.hover();
    const arrows = this.root.locator('.gutter a[aria-label="Revert Block"]');
    await arrows.first().waitFor();
    // The order of the arrows in the page is arbitrary; the nearest one belongs to the line.
    const at = (await line.boundingBox())?.y ?? 0;
    const boxes = await Promise.all((await arrows.all()).map((arrow) => arrow.boundingBox()));
    const distances = boxes.map((box) => Math.abs((box?.y ?? Number.POSITIVE_INFINITY) - at));
    await arrows.nth(distances.indexOf(Math.min(...distances))).click();
    await this.line(proposed).waitFor({ state: 'detached' });
  }

  /** Drops the change that contains a line of the right side, with the button in the title bar. */
  async dropHunk(proposed: string): Promise<void> {
    await this.line(proposed).first().click();
    await this.window.titleButton('Drop This Change').click();
    await this.line(proposed).waitFor({ state: 'detached' });
  }

  /** Keeps the dropped change at the cursor, and waits until its text is restored. */
  async keepHunk(proposed: string): Promise<void> {
    await this.window.titleButton('Keep Dropped Change').click();
    await this.line(proposed).waitFor();
  }

  /** Drops the change that contains a line of the right side, with the editor's code actions. */
  async dropHunkByAction(proposed: string): Promise<void> {
    const { page } = this.window;
    await this.focusLine(proposed);
    await page.keyboard.press('Control+.');
    await page.locator('.action-widget').getByText('Drop This Change').waitFor();
    await page.keyboard.press('Enter');
    await this.line(proposed).waitFor({ state: 'detached' });
  }

  /**
   * Waits for a note behind a line of the right side. It is drawn by a style sheet and is not part of the page's text.
   */
  async waitForNote(note: string): Promise<void> {
    await this.window.page.waitForFunction((text) => {
      const spans = document.querySelectorAll('.monaco-diff-editor .editor.modified .view-line span');
      const drawn = Array.from(spans, (span) => getComputedStyle(span, '::after').content);
      return drawn.some((content) => content.replaceAll('\u00a0', ' ').includes(text));
    }, note);
  }

  /** The warnings, above the first change. */
  get warnings(): Locator {
    return this.modified.locator('.review-widget').filter({ hasText: 'Before You Accept' });
  }

  /** The commands above changes, which VS Code does not show in diffs by default. */
  get lenses(): Locator {
    return this.root.locator('.codelens-decoration');
  }
}

/** Repeats an action that had no effect. */
async function untilDone(act: () => Promise<void>, isDone: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await act();
    const failure: unknown = await isDone().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return;
    if (attempt === 4) throw failure;
  }
}
