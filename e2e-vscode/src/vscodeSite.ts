import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject, onTestFinished, type TestContext } from 'vitest';
import { Sandbox } from '../../e2e/src/sandbox.js';
import { launchBrowser } from './browser.js';
import { CompanionWatch } from './companionWatch.js';
import { EditorServer } from './editorServer.js';
import { EditorWindow } from './editorWindow.js';
import { editorUnderTest } from './pinnedEditors.js';

export interface SiteOptions {
  /** Whether Tandem is installed; it is when left out. */
  readonly hasTandem?: boolean;
  /** Folders of more extensions: they belong to the test. */
  readonly extensions?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Wide enough for a diff in two columns, and high enough for a terminal below it. */
const viewport = { width: 1500, height: 1000 };

/** The limit for anything in the page, on a busy machine. */
const limit = 60_000;

/** How long the companion of a workspace file's window may take, before the window is reloaded. */
const workspaceLimit = 20_000;

const failures = fileURLToPath(new URL('../../test-results/e2e-vscode/', import.meta.url));

/**
 * One editor for all tests of a file: server, browser and the user's home. Each test opens windows of its own
 * on folders of its own.
 */
export class VsCodeSite {
  readonly #windows = new Set<EditorWindow>();
  #folders = 0;
  /** The desk whose window tests share, until one of them fails in it. */
  #shared: Desk | undefined;
  readonly #sharedWindows = new Map<string, EditorWindow>();

  private constructor(
    readonly sandbox: Sandbox,
    readonly server: EditorServer,
    readonly browser: Browser,
    readonly context: BrowserContext,
  ) {}

  static async start(options: SiteOptions = {}): Promise<VsCodeSite> {
    const sandbox = await Sandbox.create();
    const tandem = options.hasTandem === false ? [] : [inject('installedTandem')];
    const extensions = [...tandem, ...(options.extensions ?? [])];
    const compileCache = inject('compileCache');
    const [server, browser] = await Promise.all([
      EditorServer.start({ ...options, sandbox, build: editorUnderTest(), extensions, compileCache }),
      launchBrowser(),
    ]);
    const context = await browser.newContext({
      viewport,
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
      // Compressing 19 MB for a local connection costs more than it saves.
      extraHTTPHeaders: { 'Accept-Encoding': 'identity' },
    });
    context.setDefaultTimeout(limit);
    // A page of the same site keeps the process, with what is compiled in it, while no window is open.
    await (await context.newPage()).goto(new URL('/healthz', await server.url()).href);
    return new VsCodeSite(sandbox, server, browser, context);
  }

  /** A new folder with a name of its own, to be opened as a workspace. */
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

  /** A window on that folder which the tests of this file share; see `share`. */
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

  /** A window on a new folder with these files, and the companion that runs in it. */
  async open(files: Readonly<Record<string, string | Buffer>> = {}, workspace?: string): Promise<Desk> {
    const folder = await this.folder(workspace);
    for (const [name, content] of Object.entries(files))
      await this.sandbox.write(join(folder, name), content);
    return Desk.open(this, folder);
  }

  /**
   * The window that the tests of this file share, because starting one is most of a test's cost. The files lie in a
   * folder of their own below its workspace. A test leaves nothing open; after a failed one the next gets a new window.
   */
  async share(files: Readonly<Record<string, string | Buffer>> = {}): Promise<Desk> {
    this.#shared ??= await this.#openShared();
    this.#folders += 1;
    const desk = await this.#shared.below(`${this.#folders}`);
    for (const [name, content] of Object.entries(files)) await desk.put(name, content);
    onTestFinished(({ task }) =>
      this.#leave(desk.window, task, () => {
        this.#shared = undefined;
        desk.companion.dispose();
      }),
    );
    return desk;
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

  /** Tidies a shared window for the next test. If that fails, the test fails and the next one gets a new window. */
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

  async #closeWindow(window: EditorWindow): Promise<void> {
    this.#windows.delete(window);
    await window.close();
  }

  async #openShared(): Promise<Desk> {
    const folder = await this.folder('shared');
    const window = await this.#openWindow(folder);
    return new Desk(this, folder, window, await CompanionWatch.find(this.sandbox, folder));
  }
}

/** Saves a screenshot of a window when a test has failed, and adds its path to the error. */
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
  /** The folder need not be the whole workspace of the window. */
  constructor(
    readonly site: VsCodeSite,
    readonly folder: string,
    readonly window: EditorWindow,
    readonly companion: CompanionWatch,
    /** Where terminals of the window start. */
    readonly workspace = folder,
  ) {}

  /**
   * Opens one more window on a folder; `others` are the desks that have one on it already. `workspace` is the workspace
   * file to open in its place, which names that folder.
   */
  static async open(
    site: VsCodeSite,
    folder: string,
    others: readonly Desk[] = [],
    workspace = folder,
  ): Promise<Desk> {
    const known = others.map(({ companion }) => companion);
    const window = await site.openWindow(workspace);
    const find = (limitMs?: number): Promise<CompanionWatch> =>
      CompanionWatch.find(site.sandbox, folder, known, limitMs);
    // The editor sometimes opens a workspace file as if it named no folder; after a reload it has them.
    const companion = await (workspace === folder
      ? find()
      : find(workspaceLimit).catch(() => window.reload().then(() => find())));
    onTestFinished(() => companion.dispose());
    return new Desk(site, folder, window, companion);
  }

  /** The same window and companion, with a new folder in the workspace to work in. */
  async below(name: string): Promise<Desk> {
    const { site, window, companion } = this;
    companion.forget();
    const folder = join(this.folder, name);
    await mkdir(folder);
    await window.bringToFront();
    return new Desk(site, folder, window, companion, this.folder);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** A file's exact text. Invalid UTF-8 would show, a byte order mark stays. */
  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  /** Puts a file into the folder and gives its path. */
  put(name: string, content: string | Buffer): Promise<string> {
    return this.site.sandbox.write(this.path(name), content);
  }

  /** Finds the companion that follows the one before in the same window, after a reload say. */
  async reconnect(): Promise<Desk> {
    const companion = await CompanionWatch.find(this.site.sandbox, this.folder, [this.companion]);
    onTestFinished(() => companion.dispose());
    return new Desk(this.site, this.folder, this.window, companion);
  }

  /** Opens a file of the folder in the window. */
  openFile(name: string): Promise<void> {
    const path = this.path(name);
    const below = relative(this.workspace, dirname(path));
    // A workspace file is beside its folders.
    return this.window.openFile(path, below.startsWith('..') ? '' : below);
  }
}

/** Registers a site for the tests of this file, and gives access to it. */
export function useSite(options: SiteOptions = {}): { readonly current: VsCodeSite } {
  let site: VsCodeSite | undefined;
  beforeAll(async () => {
    site = await VsCodeSite.start(options);
  });
  // Before the test's windows are closed.
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    for (const [index, window] of (site?.windows ?? []).entries())
      await leavePicture(window, task, index + 1);
  });
  afterAll(() => site?.stop());
  return {
    get current() {
      if (site === undefined)
        throw new Error('the editor is started before the first test, not while tests are named');
      return site;
    },
  };
}
