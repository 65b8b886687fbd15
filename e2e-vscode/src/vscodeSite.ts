import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, ViewportSize } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject, it, onTestFinished, type TestContext } from 'vitest';
import { Sandbox } from '../../e2e/src/sandbox.js';
import { launchBrowser } from './browser.js';
import { CompanionWatch } from './companionWatch.js';
import { EditorServer } from './editorServer.js';
import { EditorWindow } from './editorWindow.js';
import { editorUnderTest } from './pinnedEditors.js';

export interface SiteOptions {
  /** Folders of additional extensions for the test. */
  readonly extensions?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** The size of a window; the default is large enough for a diff in two columns and a terminal below it. */
  readonly viewport?: ViewportSize;
}

/** The limit of each step in the page, on a busy machine. */
const limit = 60_000;

/** VS Code starts no other extension host after the third that ended unexpectedly within some minutes. */
const killsOfOneWindow = 2;

/** How long the companion of a workspace file's window may take before the window is reloaded. */
const workspaceLimit = 20_000;

const failures = fileURLToPath(new URL('../../test-results/e2e-vscode/', import.meta.url));

/** An editor: server, browser and the user's home. Each test works in its own folders. */
export class VsCodeSite {
  readonly #windows = new Set<EditorWindow>();
  #folders = 0;
  #changesOfSettings = 0;
  /** The desk whose window tests share until one of them fails. */
  #shared: Desk | undefined;
  /** How many extension hosts of that window were killed. */
  #kills = 0;
  readonly #sharedWindows = new Map<string, EditorWindow>();

  private constructor(
    readonly sandbox: Sandbox,
    readonly server: EditorServer,
    readonly browser: Browser,
    readonly context: BrowserContext,
  ) {}

  static async start(options: SiteOptions = {}): Promise<VsCodeSite> {
    const sandbox = await Sandbox.create();
    const extensions = [inject('installedTandem'), ...(options.extensions ?? [])];
    const [server, browser] = await Promise.all([
      EditorServer.start({ ...options, sandbox, build: editorUnderTest(), extensions }),
      launchBrowser(),
    ]);
    const context = await browser.newContext({
      viewport: options.viewport ?? { width: 1500, height: 1000 },
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
      // Compressing 19 MB for a local connection costs more than it saves.
      extraHTTPHeaders: { 'Accept-Encoding': 'identity' },
    });
    context.setDefaultTimeout(limit);
    // A page of the same site keeps the process and its compiled code while no window is open.
    await (await context.newPage()).goto(new URL('/healthz', await server.url()).href);
    return new VsCodeSite(sandbox, server, browser, context);
  }

  /** A new folder with a unique name, to open as a workspace. */
  async folder(name = 'workspace'): Promise<string> {
    this.#folders += 1;
    return this.sandbox.folder(join(`${this.#folders}`, name));
  }

  /** Opens a window on a folder or a workspace file, or an empty one; it closes with the test. */
  async openWindow(folder?: string): Promise<EditorWindow> {
    const window = await this.#openWindow(folder);
    onTestFinished(() => this.#closeWindow(window));
    return window;
  }

  /** A window on that folder which tests share; see `share`. */
  async shareWindow(folder: string): Promise<EditorWindow> {
    const window = this.#sharedWindows.get(folder) ?? (await this.#openWindow(folder));
    this.#sharedWindows.set(folder, window);
    await window.bringToFront();
    onTestFinished(({ task }) =>
      this.#leave(window, task, () => {
        this.#sharedWindows.delete(folder);
      }),
    );
    return window;
  }

  /** A window on a new folder with these files, and its companion. */
  async open(files: Readonly<Record<string, string | Buffer>> = {}, workspace?: string): Promise<Desk> {
    const folder = await this.folder(workspace);
    for (const [name, content] of Object.entries(files))
      await this.sandbox.write(join(folder, name), content);
    return Desk.open(this, folder);
  }

  /**
   * The window that tests share, because starting one takes most of a test's time. The files are in a new folder of its
   * workspace, which has these settings during the test. A test leaves nothing open; after a failed test, the next one
   * gets a new window.
   */
  async share(
    files: Readonly<Record<string, string | Buffer>> = {},
    settings?: Readonly<Record<string, unknown>>,
  ): Promise<Desk> {
    if (this.#kills >= killsOfOneWindow) await this.#dropShared();
    this.#shared ??= await this.#openShared();
    if (settings !== undefined) await this.#useSettings(this.#shared, settings);
    this.#folders += 1;
    const desk = await this.#shared.below(`${this.#folders}`);
    for (const [name, content] of Object.entries(files)) await desk.put(name, content);
    onTestFinished(({ task }) => this.#leave(desk.window, task, () => this.#forgetShared()));
    return desk;
  }

  /** Keeps the new companion of the shared window for the next tests. Returns false for another window. */
  keep({ window, companion, workspace }: Desk): boolean {
    if (this.#shared?.window !== window) return false;
    this.#shared.companion.dispose();
    this.#shared = new Desk(this, workspace, window, companion);
    return true;
  }

  /** Counts an extension host that a test kills. */
  killed({ window }: Desk): void {
    if (this.#shared?.window === window) this.#kills += 1;
  }

  /** The windows that are open. */
  get windows(): readonly EditorWindow[] {
    return [...this.#windows];
  }

  async stop(): Promise<void> {
    this.#shared?.companion.dispose();
    await this.browser.close();
    await this.server.stop();
    await this.sandbox.dispose();
  }

  async #openWindow(folder?: string): Promise<EditorWindow> {
    const window = await EditorWindow.open(this.context, await this.server.url(folder));
    this.#windows.add(window);
    return window;
  }

  /** Cleans up a shared window for the next test. If that fails, the test fails and the next one gets a new window. */
  async #leave(window: EditorWindow, task: TestContext['task'], forget: () => void): Promise<void> {
    try {
      if (task.result?.state !== 'fail') return await window.tidy();
    } catch (error) {
      await leavePicture(window, task);
      await this.#drop(window, forget);
      throw error;
    }
    await this.#drop(window, forget);
  }

  async #drop(window: EditorWindow, forget: () => void): Promise<void> {
    forget();
    await this.#closeWindow(window);
  }

  #forgetShared(): void {
    this.#shared?.companion.dispose();
    this.#shared = undefined;
    this.#kills = 0;
  }

  async #dropShared(): Promise<void> {
    if (this.#shared !== undefined) await this.#drop(this.#shared.window, () => this.#forgetShared());
  }

  async #closeWindow(window: EditorWindow): Promise<void> {
    this.#windows.delete(window);
    await window.close();
  }

  /** Gives the workspace of a window settings until the test has finished. */
  async #useSettings({ folder, window }: Desk, settings: Readonly<Record<string, unknown>>): Promise<void> {
    this.#changesOfSettings += 1;
    const title = `settings ${this.#changesOfSettings}`;
    const put = (content: object) =>
      this.sandbox.write(join(folder, '.vscode/settings.json'), JSON.stringify(content));
    const isApplied = () => window.page.waitForFunction((text) => document.title.includes(text), title);
    const isGone = () => window.page.waitForFunction((text) => !document.title.includes(text), title);
    onTestFinished(async () => {
      await put({});
      if (!window.page.isClosed()) await isGone();
    });
    // The window applies them all at once; its title shows when.
    await put({ ...settings, 'window.title': title });
    await isApplied();
  }

  async #openShared(): Promise<Desk> {
    const folder = await this.folder('shared');
    const window = await this.#openWindow(folder);
    return new Desk(this, folder, window, await CompanionWatch.find(this.sandbox, folder));
  }
}

/** Saves a screenshot of a window if a test failed, and adds its path to the error. */
export async function leavePicture(
  window: EditorWindow,
  { fullTestName, result }: TestContext['task'],
  number = 1,
): Promise<void> {
  if (window.page.isClosed()) return;
  const name = fullTestName.replaceAll(/[^a-z0-9]+/gi, '-').slice(-120);
  const path = join(failures, `${name}-${number}.png`);
  await window.page.screenshot({ path }).catch(() => {});
  for (const error of result?.errors?.slice(0, 1) ?? []) {
    error.message += `\nA picture of the window at that time: ${path}`;
  }
}

/** A user's desk: a folder, the window on it and its companion. It closes with the test. */
export class Desk {
  /** The workspace of the window may have other folders. */
  constructor(
    readonly site: VsCodeSite,
    readonly folder: string,
    readonly window: EditorWindow,
    readonly companion: CompanionWatch,
    /** The folder in which terminals of the window start. */
    readonly workspace = folder,
  ) {}

  /** Opens a window on a folder. `workspace` is a workspace file with that folder, to open instead. */
  static async open(site: VsCodeSite, folder: string, workspace = folder): Promise<Desk> {
    const window = await site.openWindow(workspace);
    const find = (limitMs?: number): Promise<CompanionWatch> =>
      CompanionWatch.find(site.sandbox, folder, [], limitMs);
    // The editor sometimes opens a workspace file without its folders; a reload helps.
    const companion = await (workspace === folder
      ? find()
      : find(workspaceLimit).catch(() => window.reload().then(() => find())));
    onTestFinished(() => companion.dispose());
    return new Desk(site, folder, window, companion);
  }

  /** The same folder in another window on the same workspace. */
  async another(): Promise<Desk> {
    const { site, folder, workspace } = this;
    const window = await site.openWindow(workspace);
    const companion = await CompanionWatch.find(site.sandbox, workspace, [this.companion]);
    onTestFinished(() => companion.dispose());
    return new Desk(site, folder, window, companion, workspace);
  }

  /** The same window and companion without interrupted reviews, and a new folder in the workspace. */
  async below(name: string): Promise<Desk> {
    const { site, window, companion } = this;
    companion.forget();
    for (const { id } of (await companion.status()).interrupted)
      await companion.call('review.discard', { ids: [id], answer: {} });
    const folder = join(this.folder, name);
    await mkdir(folder);
    await window.bringToFront();
    return new Desk(site, folder, window, companion, this.folder);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** A file's text, with a byte order mark if there is one. Invalid UTF-8 appears as U+FFFD. */
  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  /** Writes a file into the folder and returns its path. */
  put(name: string, content: string | Buffer): Promise<string> {
    return this.site.sandbox.write(this.path(name), content);
  }

  /** Finds the successor of the companion in the same window, for example after a reload. */
  async reconnect(): Promise<Desk> {
    const { site, folder, window, workspace } = this;
    const companion = await CompanionWatch.find(site.sandbox, workspace, [this.companion]);
    const again = new Desk(site, folder, window, companion, workspace);
    if (!site.keep(again)) onTestFinished(() => companion.dispose());
    return again;
  }

  /** Kills the extension host, and with it the companion. VS Code starts another one by itself. */
  killExtensionHost(): void {
    this.site.killed(this);
    process.kill(this.companion.pid, 'SIGKILL');
  }

  /** Opens a file of the folder in the window. */
  openFile(name: string): Promise<void> {
    const path = this.path(name);
    const below = relative(this.workspace, dirname(path));
    // A workspace file is beside its folders.
    return this.window.openFile(path, below.startsWith('..') ? '' : below);
  }
}

/** A test API with the editor that the files of a worker share: they run one after the other in its process. */
const withEditor = it.extend(
  'editor',
  { scope: 'worker' },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of other fixtures from this pattern.
  async ({}, { onCleanup }) => {
    const editor = await VsCodeSite.start();
    onCleanup(() => editor.stop());
    return editor;
  },
);

/** Gives the tests of this file access to the editor of their worker. */
export function useSite(): { readonly current: VsCodeSite } {
  let site: VsCodeSite | undefined;
  withEditor.beforeAll(({ editor }) => {
    site = editor;
  });
  return accessTo(() => site);
}

/** Starts an editor for this file, because of what its tests need or change in it, and stops it afterwards. */
export function useOwnSite(options: SiteOptions = {}): { readonly current: VsCodeSite } {
  let site: VsCodeSite | undefined;
  beforeAll(async () => {
    site = await VsCodeSite.start(options);
  });
  afterAll(() => site?.stop());
  return accessTo(() => site);
}

function accessTo(find: () => VsCodeSite | undefined): { readonly current: VsCodeSite } {
  // Before the test's windows are closed.
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    for (const [index, window] of (find()?.windows ?? []).entries())
      await leavePicture(window, task, index + 1);
  });
  return {
    get current() {
      const site = find();
      if (site === undefined)
        throw new Error('the editor is started before the first test, not while tests are named');
      return site;
    },
  };
}
