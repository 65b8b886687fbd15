import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Changes } from '../../e2e/src/changes.js';
import type { Sandbox } from '../../e2e/src/sandbox.js';
import { quietSettings } from './editorSettings.js';
import { type EditorBuild, editorNode } from './pinnedEditors.js';

export interface EditorServerOptions {
  readonly sandbox: Sandbox;
  readonly build: EditorBuild;
  /** Folders of extensions to install. */
  readonly extensions: readonly string[];
  /** User settings in addition to the defaults of the tests. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** The shell prompt in every terminal, the same for all users. */
export const shellPrompt = 'shell> ';

/** The limit for what the server does immediately on an idle machine. */
const limit = 60_000;

/**
 * A code-server, the server part of a real VS Code: extension hosts, terminals and files. The other part is a page in a
 * browser. Its data is in a sandbox's home. The creator stops it.
 */
export class EditorServer {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #changes = new Changes();
  #output = '';
  #isStopped = false;
  readonly #killGroup = (): void => {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  };

  private constructor(
    readonly build: EditorBuild,
    readonly sandbox: Sandbox,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ) {
    this.#child = spawn(editorNode, [...args], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    process.once('exit', this.#killGroup);
    const hear = (data: Buffer): void => {
      this.#output += data.toString('utf8');
      this.#changes.notify();
    };
    this.#child.stdout?.on('data', hear);
    this.#child.stderr?.on('data', hear);
    this.#exited = new Promise((resolve) =>
      this.#child.once('exit', (code) => {
        this.#changes.fail(new Error(`code-server ended with code ${code}`));
        resolve();
      }),
    );
  }

  /** Starts the server with its extensions and waits until it answers. */
  static async start(options: EditorServerOptions): Promise<EditorServer> {
    const { sandbox, build } = options;
    const [data, extensions] = [join(sandbox.root, 'data'), join(sandbox.root, 'extensions')];
    await sandbox.write(userSettings(sandbox), settingsText(options.settings));
    await sandbox.write(join(sandbox.home, '.bashrc'), bashrc(sandbox));
    await sandbox.write(join(sandbox.root, 'config.yaml'), '');
    // Before the first start: the editor treats existing folders as installed.
    for (const folder of options.extensions) {
      await cp(folder, join(extensions, basename(folder)), { recursive: true });
    }
    const builtIn = join(sandbox.root, 'built-in');
    await linkBuiltInExtensions(build, builtIn);
    const env = { ...environment(sandbox), ...options.env };
    const args = [
      build.entry,
      ...['--config', join(sandbox.root, 'config.yaml')],
      ...['--user-data-dir', data, '--extensions-dir', extensions],
      ...['--builtin-extensions-dir', builtIn],
      ...['--bind-addr', '127.0.0.1:0', ...serverFlags, ...build.flags],
    ];
    const server = new EditorServer(build, sandbox, args, env);
    try {
      await server.#port();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** The address that opens a folder, a workspace file or, without either, an empty window. */
  async url(what?: string): Promise<string> {
    const kind = what?.endsWith('.code-workspace') ? 'workspace' : 'folder';
    const query = what === undefined ? 'ew=true' : `${kind}=${encodeURIComponent(what)}`;
    return `http://127.0.0.1:${await this.#port()}/?${query}`;
  }

  /** Machine settings, such as which programs to run; a folder cannot set them. */
  async putMachineSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.sandbox.write(join(this.sandbox.root, 'data/Machine/settings.json'), JSON.stringify(settings));
  }

  /** The current user settings. */
  readSettings(): Promise<string> {
    return readFile(userSettings(this.sandbox), 'utf8');
  }

  /** Replaces the user settings that were added to the defaults of the tests. */
  async putSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.sandbox.write(userSettings(this.sandbox), settingsText(settings));
  }

  /** The content of all log files with this name so far, one for each extension host. */
  async log(name: string): Promise<string> {
    return (await this.#read('data/logs', (path) => basename(path) === name)).join('\n');
  }

  /**
   * How often the extension has closed diffs of an earlier extension host. Before that, the active diff may be an old one,
   * whose buttons do nothing.
   */
  async closedDiffs(): Promise<number> {
    return (await this.log('Tandem.log')).split('closed diffs of an earlier extension host').length - 1;
  }

  /** The journal of this process's companion. */
  async kept(pid: number): Promise<string> {
    // One file per review. Incomplete files have other names.
    const name = new RegExp(`tandem\\.tandem-vscode/companions/${pid}-[^/]+/[^/]+\\.json$`);
    return (await this.#read('data/User/workspaceStorage', (path) => name.test(path))).join('\n');
  }

  /** The server's output so far, for the message of a failed test. */
  get output(): string {
    return this.#output;
  }

  /** Ends the server as a service manager does, then its remaining processes, such as the terminal host. Idempotent. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(this.#killGroup, 10_000);
    await this.#exited;
    clearTimeout(timer);
    this.#killGroup();
    process.off('exit', this.#killGroup);
  }

  async #read(below: string, isMeant: (path: string) => boolean): Promise<string[]> {
    const folder = join(this.sandbox.root, below);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    // A file may be missing for a moment while it is replaced.
    const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
    return Promise.all(paths.filter(isMeant).map(read));
  }

  #port(): Promise<number> {
    return this.#changes.until(
      () => {
        const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(this.#output)?.[1];
        return port === undefined ? undefined : Number(port);
      },
      { what: 'code-server to listen', timeout: limit, evidence: () => this.#output },
    );
  }
}

/**
 * The built-in extensions that tests use: themes, and languages with a server or an editor of their own. With all of
 * them, a window takes a third more processor time to start.
 */
const builtInExtensions = [
  ...['theme-defaults', 'theme-seti', 'ipynb', 'json', 'json-language-features', 'markdown-basics'],
  ...['javascript', 'typescript-basics', 'typescript-language-features'],
  // TypeScript itself.
  'node_modules',
];

async function linkBuiltInExtensions(build: EditorBuild, into: string): Promise<void> {
  const all = join(dirname(build.entry), '../../lib/vscode/extensions');
  await mkdir(into);
  await Promise.all(builtInExtensions.map((name) => symlink(join(all, name), join(into, name))));
}

const serverFlags = [
  ...['--auth', 'none', '--ignore-last-opened', '--disable-telemetry', '--disable-update-check'],
  ...['--disable-getting-started-override', '--disable-proxy'],
];

function environment(sandbox: Sandbox): Record<string, string> {
  return {
    ...sandbox.environment(),
    SHELL: '/bin/bash',
    XDG_RUNTIME_DIR: sandbox.temporary,
    // No marketplace, so that nothing is downloaded.
    EXTENSIONS_GALLERY: '{}',
  };
}

/** The editor takes the PATH from a login shell, which reads the machine's profile. */
function bashrc(sandbox: Sandbox): string {
  return `PS1='${shellPrompt}'\nPATH='${sandbox.environment().PATH}'\n`;
}

function userSettings({ root }: Sandbox): string {
  return join(root, 'data/User/settings.json');
}

function settingsText(more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...quietSettings, ...more }, null, 2);
}
