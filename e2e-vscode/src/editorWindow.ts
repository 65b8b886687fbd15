import { basename } from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { DiffView } from './diffView.js';
import { TerminalPane } from './terminalPane.js';

/** The limit for the start of a window on a busy machine. */
const startLimit = 90_000;

/** How long the command palette may take to list a command, and how often it is opened. */
const paletteLimit = 2500;
const paletteAttempts = 8;

/** How long a quick input may take to open after its key, and how often the key is pressed. */
const keyLimit = 10_000;
const keyAttempts = 4;

/**
 * One window of the editor, driven by keyboard and mouse. It waits for what the page shows, with the browser's own
 * waits. The creator closes it.
 */
export class EditorWindow {
  /** The window's console output, for the message of a failed test. */
  readonly console: string[] = [];
  #terminals = 0;

  private constructor(readonly page: Page) {
    page.on('console', (message) => this.console.push(`${message.type()}: ${message.text()}`));
    // A window with unsaved changes asks before it closes.
    page.on('dialog', (dialog) => void dialog.accept().catch(() => {}));
  }

  /** Opens a window and waits until its workbench is drawn. */
  static async open(context: BrowserContext, url: string): Promise<EditorWindow> {
    const window = new EditorWindow(await context.newPage());
    try {
      await window.page.goto(url);
      await window.#waitForWorkbench();
    } catch (error) {
      await window.close();
      throw error;
    }
    return window;
  }

  /** Reloads the window with its command, which first saves the window's state. */
  async reload(): Promise<void> {
    const isLoaded = this.page.waitForEvent('domcontentloaded');
    await this.command('Developer: Reload Window');
    await isLoaded;
    await this.#waitForWorkbench();
  }

  /** Shows the window: a browser does not draw hidden ones. */
  async bringToFront(): Promise<void> {
    await this.page.bringToFront();
  }

  /** Ends every terminal, closes every tab without saving, and clears the messages. */
  async tidy(): Promise<void> {
    const messages = this.page.locator('.notifications-toasts .notification-list-item');
    if (this.#terminals > 0) await this.command('Terminal: Kill All Terminals');
    this.#terminals = 0;
    if (await messages.count()) await this.command('Notifications: Clear All Notifications');
    const tabs = this.tab('');
    if ((await tabs.count()) === 0) return;
    await this.#closeAllEditors();
    const isClosed = tabs
      .first()
      .waitFor({ state: 'detached' })
      .then(() => 'closed');
    // One dialog asks about all unsaved changes.
    const isAsked = this.dialog()
      .waitFor()
      .then(
        () => 'asked',
        () => 'closed',
      );
    const answer = () => this.dialog().getByRole('button', { name: "Don't Save" }).click();
    if ((await Promise.race([isClosed, isAsked])) === 'asked') await answer();
    await isClosed;
    // The extension may have closed a tab that VS Code still asks about.
    if (await this.dialog().isVisible()) await answer();
  }

  /** By its keys: the command palette takes ten times as long. Some focused elements keep keys to themselves. */
  async #closeAllEditors(): Promise<void> {
    const { keyboard } = this.page;
    await keyboard.press('Control+K');
    await keyboard.press('Control+W');
    const isDone = this.tab('').first().waitFor({ state: 'detached', timeout: paletteLimit });
    const isAsked = this.dialog().waitFor({ timeout: paletteLimit });
    await Promise.any([isDone, isAsked]).catch(() => this.command('View: Close All Editors'));
  }

  async close(): Promise<void> {
    if (this.page.isClosed()) return;
    // When the page unloads, it notifies the server, which ends the extension host.
    await this.page.goto('about:blank').catch(() => {});
    await this.page.close();
  }

  /** Runs a command by its title in the command palette, with the mouse or without it. */
  async command(title: string, { byKey = false } = {}): Promise<void> {
    const row = byKey ? this.row(title).and(this.page.locator('.focused')) : this.row(title).first();
    const choose = (): Promise<void> =>
      byKey
        ? row.waitFor({ timeout: paletteLimit }).then(() => this.page.keyboard.press('Enter'))
        : row.click({ timeout: paletteLimit });
    for (let attempt = 1; ; attempt++) {
      await this.#ask('F1', `>${title}`);
      // The palette lists the commands that exist when it opens; commands that are registered later appear when it is
      // opened again. It closes if something else takes the focus.
      const isRun = await choose().then(
        () => true,
        () => false,
      );
      if (isRun) break;
      if (attempt === paletteAttempts) throw new Error(`the command palette does not know "${title}"`);
      await this.page.keyboard.press('Escape');
      await this.quickInput.waitFor({ state: 'hidden' });
    }
    await row.waitFor({ state: 'hidden' });
  }

  /** Whether the command palette lists a command now. */
  async knowsCommand(title: string): Promise<boolean> {
    await this.#ask('F1', `>${title}`);
    const row = this.row(title).first();
    await row.or(this.row('No matching commands')).or(this.row('similar commands')).first().waitFor();
    const isThere = (await row.count()) > 0;
    await this.page.keyboard.press('Escape');
    await this.quickInput.waitFor({ state: 'hidden' });
    return isThere;
  }

  /** Opens a file that is not shown as text, such as a notebook, by its absolute path; see `openFile`. */
  async openByName(path: string, below = ''): Promise<void> {
    await this.#ask('Control+P', path);
    // The first row may still belong to the previous list, or be a diff of the file; so Enter is not enough.
    const name = basename(path);
    const ofDiff = { hasText: `${name} (` };
    const rows = this.row(name).filter({ hasNot: this.page.locator('.label-name').filter(ofDiff) });
    const folder = this.page.locator('.label-description').getByText(below, { exact: true });
    await (below === '' ? rows : rows.filter({ has: folder })).first().click();
    const tab = this.tab(name).filter({ hasNotText: ofDiff.hasText });
    await tab.and(this.page.locator('.active')).first().waitFor();
  }

  /**
   * Opens a file by its absolute path, gives it the focus and waits until its text can be edited. `below` is its folder
   * in the workspace, to distinguish files with the same name.
   */
  async openFile(path: string, below = ''): Promise<void> {
    await this.openByName(path, below);
    await this.activeGroup.locator('.monaco-editor.focused').first().waitFor();
  }

  /** Waits until the text that was typed into a review has been applied to it. */
  async pause(): Promise<void> {
    await this.dirtyTab.waitFor({ state: 'detached' });
  }

  /** Places the cursor in the focused editor. Line and column count from 1. */
  async goTo(line: number, column: number): Promise<void> {
    const input = await this.#ask('Control+G', `:${line}:${column}`);
    await input.press('Enter');
    await this.quickInput.waitFor({ state: 'hidden' });
  }

  /** Selects characters on one line of the focused editor. Line and column count from 1. */
  async select(line: number, column: number, characters: number): Promise<void> {
    await this.goTo(line, column);
    await this.page.locator('.monaco-editor.focused').first().waitFor();
    for (let index = 0; index < characters; index++) await this.page.keyboard.press('Shift+ArrowRight');
    await this.statusItem(/\(\d+ selected\)/).waitFor();
  }

  /** Opens a terminal in the panel, and waits for its shell. With several folders, the editor asks which one. */
  async openTerminal(folder?: string): Promise<TerminalPane> {
    await this.command('Terminal: Create New Terminal');
    if (folder !== undefined) await this.row(folder).first().click();
    this.#terminals += 1;
    return TerminalPane.adopt(this, this.#terminals);
  }

  /** The diff that has the focus or was opened last in the active group. */
  get diff(): DiffView {
    return new DiffView(this);
  }

  get activeGroup(): Locator {
    return this.page.locator('.editor-group-container.active');
  }

  /** The tabs whose label contains a text, in all groups. */
  tab(label: string | RegExp): Locator {
    return this.page.locator('.tabs-container .tab').filter({ hasText: label });
  }

  /** The active tab. */
  get activeTab(): Locator {
    return this.activeGroup.locator('.tabs-container .tab.active');
  }

  /** Closes the active tab by its button. */
  async closeTab(label: string): Promise<void> {
    const tab = this.tab(label).first();
    await tab.hover();
    await tab.locator('.tab-actions a.action-label').click();
  }

  /** A button in the title bar of the active group. */
  titleButton(label: string): Locator {
    return this.activeGroup.locator(`.editor-actions a.action-label[aria-label^="${label}"]`);
  }

  get quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible');
  }

  /** A row of the quick pick or the command palette. */
  row(label: string | RegExp): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: label });
  }

  /** Chooses an entry of the context menu of an element. */
  async chooseFromMenu(of: Locator, label: string): Promise<void> {
    await of.click({ button: 'right', position: { x: 4, y: 4 } });
    const entry = this.page.locator('.monaco-menu .action-item:visible').filter({ hasText: label }).first();
    await entry.hover();
    // A new menu ignores clicks for a moment, so that the click that opened it chooses nothing.
    await this.page.keyboard.press('Enter');
    await entry.waitFor({ state: 'hidden' });
  }

  notification(text: string | RegExp): Locator {
    return this.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text });
  }

  /** A modal dialog of the window. */
  dialog(text?: string | RegExp): Locator {
    const dialog = this.page.locator('.monaco-dialog-box');
    return text === undefined ? dialog : dialog.filter({ hasText: text });
  }

  statusItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item').filter({ hasText: text });
  }

  /** The item with agents and reviews in the status bar. */
  get status(): Locator {
    return this.page.locator('.statusbar-item[id$="tandem.status"]');
  }

  /** Shows the list of reviews. */
  async showReviews(): Promise<void> {
    await this.command('Tandem: Focus on Reviews View');
  }

  /** The number on the icon of the list of reviews. */
  reviewsBadge(number: string): Locator {
    return this.page
      .locator('.composite-bar .badge-content, .pane-composite-part .badge-content')
      .filter({ hasText: number });
  }

  /** A row of a tree view, other than that of a session. */
  treeRow(text: string | RegExp): Locator {
    const rows = this.page.locator('.pane-body .monaco-list-row:not(:has(.codicon-hubot))');
    return rows.filter({ hasText: text });
  }

  /** The row of a session in the list of reviews. */
  sessionRow(text: string | RegExp): Locator {
    return this.page.locator('.pane-body .monaco-list-row:has(.codicon-hubot)').filter({ hasText: text });
  }

  /**
   * Hovers over an element until its tooltip contains a text. Repeats this, because a redrawn row loses its tooltip.
   */
  async hover(over: Locator, text: string): Promise<void> {
    const hover = this.page.locator('.monaco-hover').filter({ hasText: text }).first();
    for (let attempt = 1; ; attempt++) {
      await over.hover();
      const isThere = await hover.waitFor({ timeout: keyLimit }).then(
        () => true,
        () => false,
      );
      if (isThere) return;
      if (attempt === keyAttempts) throw new Error(`nothing hovers that holds "${text}"`);
      await this.page.mouse.move(0, 0);
    }
  }

  /** Presses the button of a row until its dialog opens. Repeats this, because a redrawn row loses its buttons and clicks. */
  async askInRow(row: Locator, button: string, dialog: Locator): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const press = async (): Promise<void> => {
        await row.hover({ timeout: keyLimit });
        await row.getByRole('button', { name: button }).click({ timeout: keyLimit });
        await dialog.waitFor({ timeout: keyLimit });
      };
      const failure: unknown = await press().then(
        () => undefined,
        (error: unknown) => error,
      );
      // It may have opened late.
      if (failure === undefined || (await dialog.isVisible())) return;
      if (attempt === keyAttempts) throw failure;
      // A row that took the place of this one got the click: what it asks must not be answered.
      await this.page.keyboard.press('Escape');
      await this.page.mouse.move(0, 0);
    }
  }

  /** The inner document of the webview in the editor, such as a walkthrough's; that of the chat may be beside it. */
  get webview() {
    return this.#webviewIn(':not([src*="purpose=webviewView"])');
  }

  /** The inner document of the visible view that is a webview: the chat. */
  get chatWebview() {
    return this.#webviewIn('[src*="purpose=webviewView"]');
  }

  #webviewIn(place: string) {
    return this.page.frameLocator(`iframe.webview.ready:visible${place}`).frameLocator('#active-frame');
  }

  /** The visible text of the active editor. */
  get text(): Promise<string> {
    return visibleText(this.activeGroup.locator('.editor-instance .monaco-editor').first());
  }

  /** The active tab, if it has unsaved changes. */
  get dirtyTab(): Locator {
    return this.activeGroup.locator('.tabs-container .tab.active.dirty');
  }

  /** Opens a quick input with its key and fills it. Repeats the key, which is lost while the focus is still moving. */
  async #ask(key: string, text: string): Promise<Locator> {
    const input = this.quickInput.locator('input.input').first();
    for (let attempt = 1; ; attempt++) {
      await this.page.keyboard.press(key);
      const failure: unknown = await input.fill(text, { timeout: keyLimit }).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined) return input;
      if (attempt === keyAttempts) throw failure;
    }
  }

  async #waitForWorkbench(): Promise<void> {
    await this.page.locator('.monaco-workbench').waitFor({ timeout: startLimit });
    // The first status bar entries appear when the parts of the window are ready.
    await this.page.locator('.statusbar-item').first().waitFor({ timeout: startLimit });
  }
}

/** The visible lines of an editor, with non-breaking spaces replaced by plain ones. */
export async function visibleText(editor: Locator): Promise<string> {
  // Line elements are reused while scrolling, so their order is arbitrary; sort them by position.
  const lines = await editor.locator('.view-lines .view-line').evaluateAll((elements) =>
    elements
      .map((element) => ({
        top: Number.parseFloat((element as HTMLElement).style.top),
        text: element.textContent,
      }))
      .sort((a, b) => a.top - b.top)
      .map(({ text }) => text ?? ''),
  );
  return lines.join('\n').replaceAll('\u00a0', ' ');
}
