import { DaemonError, validateDaemonBaseUrl } from '@tandem/companion/chat';
import * as vscode from 'vscode';
import { readChatSettings } from '../settings.js';

interface Daemon {
  readonly url: string;
  readonly token?: string;
}

/** The last connected address in this workspace. */
const lastUrl = 'tandem.daemon.lastUrl';
/** Whether this workspace's chat last used a daemon that it had started itself. */
const ranOwn = 'tandem.daemon.ranOwn';
/** The default of `qwen serve`. */
const usualUrl = 'http://127.0.0.1:4170';

/** The daemon that the chat connects to: from the setting, or entered by the user. */
export class DaemonChoice {
  readonly #tokens: DaemonTokens;
  readonly #state: vscode.Memento;

  constructor(context: Pick<vscode.ExtensionContext, 'secrets' | 'workspaceState'>) {
    this.#tokens = new DaemonTokens(context.secrets);
    this.#state = context.workspaceState;
  }

  /** The daemon to connect to without asking, if one is known. Rejects with `DaemonError` for a wrong address. */
  async known(): Promise<Daemon | undefined> {
    const url = this.#url;
    return url === undefined ? undefined : this.#withToken(url);
  }

  /** Asks for a running daemon. Undefined if the user cancels. */
  async ask(): Promise<Daemon | undefined> {
    const { t } = vscode.l10n;
    const title = t('Connect to a Running Daemon');
    const url = await vscode.window.showInputBox({
      title: `${title} (1/2)`,
      prompt: t('The address that "qwen serve" prints. The daemon must be on this machine.'),
      value: this.#url ?? usualUrl,
      ignoreFocusOut: true,
      validateInput: problemOf,
    });
    if (url === undefined) return undefined;
    const known = await this.#tokens.get(url);
    const token = await this.#askToken(`${title} (2/2)`, known !== undefined);
    if (token === undefined) return undefined;
    if (token !== '') await this.#tokens.set(url, token);
    await this.#state.update(lastUrl, url);
    return this.#withToken(url);
  }

  /** Asks for the token of the known daemon, or for a daemon and its token. */
  async askToken(): Promise<Daemon | undefined> {
    const { t } = vscode.l10n;
    const title = t('Set Daemon Token');
    const url =
      this.#url ??
      (await vscode.window.showInputBox({
        title,
        prompt: t('The address of the daemon that the token is for.'),
        value: usualUrl,
        ignoreFocusOut: true,
        validateInput: problemOf,
      }));
    if (url === undefined) return undefined;
    const token = await this.#askToken(t('Token for {0}', url), false);
    if (token === undefined) return undefined;
    await this.#tokens.set(url, token);
    return this.#withToken(url);
  }

  /** Whether the chat last used a daemon that it started itself, and should start again. */
  get ranOwn(): boolean {
    return this.#state.get<boolean>(ranOwn) === true;
  }

  async rememberOwn(isOwn: boolean): Promise<void> {
    if (isOwn !== this.ranOwn) await this.#state.update(ranOwn, isOwn || undefined);
  }

  /** The user disconnected: no longer connect or start a daemon automatically. */
  async forget(): Promise<void> {
    await this.rememberOwn(false);
    await this.#state.update(lastUrl, undefined);
  }

  get #url(): string | undefined {
    return readChatSettings().url ?? this.#state.get<string>(lastUrl);
  }

  async #withToken(url: string): Promise<Daemon> {
    const token = await this.#tokens.get(url);
    return token === undefined ? { url } : { url, token };
  }

  #askToken(title: string, isKnown: boolean): Thenable<string | undefined> {
    const { t } = vscode.l10n;
    return vscode.window.showInputBox({
      title,
      password: true,
      ignoreFocusOut: true,
      prompt: t("Stored in VS Code's secret storage, and sent to this address only."),
      placeHolder: isKnown
        ? t('Leave empty to use the stored token')
        : t('Leave empty if the daemon has no token'),
    });
  }
}

function problemOf(url: string): string | undefined {
  try {
    validateDaemonBaseUrl(url);
    return undefined;
  } catch (error) {
    return error instanceof DaemonError ? error.message : String(error);
  }
}

/** The tokens of daemons, in the secret storage. Each is sent only to the address that it was entered for. */
export class DaemonTokens {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  async get(url: string): Promise<string | undefined> {
    return this.#secrets.get(keyOf(url));
  }

  /** An empty token is deleted. */
  async set(url: string, token: string): Promise<void> {
    await (token === '' ? this.#secrets.delete(keyOf(url)) : this.#secrets.store(keyOf(url), token));
  }
}

/** Throws `DaemonError` for an address that is not on this machine. */
function keyOf(url: string): string {
  return `tandem.daemon.token ${validateDaemonBaseUrl(url).origin}`;
}
