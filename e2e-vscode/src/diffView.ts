import type { Locator } from 'playwright-core';
import { type EditorWindow, visibleText } from './editorWindow.js';

/** The two-sided diff in front of the active group. */
export class DiffView {
  constructor(private readonly window: EditorWindow) {}

  get root(): Locator {
    return this.window.activeGroup.locator('.monaco-diff-editor').first();
  }

  /** The right side, while keys that the person presses go there. */
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

  /** Waits until a line of the right side reads so. */
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

  /** Puts the cursor to the end of a line of the right side, as a click and the End key do. */
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

  /** The arrow between the sides that takes the file's own lines again. */
  revertArrow(index: number): Locator {
    return this.root.locator('.gutter a[aria-label="Revert Block"]').nth(index);
  }

  /** A command above a hunk. */
  lens(label: string | RegExp): Locator {
    return this.root.locator('.codelens-decoration a').filter({ hasText: label });
  }
}
