import {
  type DaemonApprovalMode,
  DaemonClient,
  DaemonHttpError,
  DaemonSessionClient,
  type DaemonSessionSummary,
} from '@qwen-code/sdk/daemon';
import { DaemonError } from './daemonError.js';
import { resolveDaemonUrl } from './daemonUrl.js';
import { toDaemonError } from './toDaemonError.js';

export interface DaemonApiOptions {
  /** The daemon's address; only one of this machine is accepted. */
  readonly baseUrl: string;
  /** The daemon's token. Without one nothing is sent, whatever the environment holds. */
  readonly token?: string;
}

export interface NewSessionOptions {
  /** The workspace folder, as an absolute path. It has to be the daemon's own. */
  readonly workspaceCwd?: string;
  readonly modelServiceId?: string;
  /** `single`, the daemon's default, is the one session that everybody shares; `thread` is a new chat. */
  readonly sessionScope?: 'single' | 'thread';
  /** Resumes the stream of a shared session after this event. */
  readonly lastEventId?: number;
  readonly eventEpoch?: string;
}

/** A turn that a session can go back to. */
interface RewindTurn {
  readonly id: string;
  /** Counted from 0. */
  readonly index: number;
  /** When it began: Unix time in milliseconds by the daemon's clock. */
  readonly at: number;
}

/** The daemon answers 503 while it starts a workspace, for up to half a second. */
const temporaryRetries = 20;
const temporaryDelayMs = 150;

/** The requests of a daemon, with its errors as `DaemonError`s. Holds no connection: there is nothing to close. */
export class DaemonApi {
  readonly #client: DaemonClient;

  private constructor(
    /** Where it is called, without a path. */
    readonly origin: string,
    token: string | undefined,
  ) {
    // An omitted token would be taken from the environment, and belong to some other daemon.
    this.#client = new DaemonClient({ baseUrl: origin, token: token ?? '', fetch: fetchWithoutRedirect });
  }

  /**
   * Finds the daemon at an address and makes sure that it is one, of a version that this client understands, and that it
   * takes the token.
   *
   * @throws DaemonError `not_loopback`, `unreachable`, `unauthorized` or `incompatible`
   */
  static async open({ baseUrl, token }: DaemonApiOptions, signal?: AbortSignal): Promise<DaemonApi> {
    const origins = await resolveDaemonUrl(baseUrl);
    let failure: DaemonError | undefined;
    for (const origin of origins) {
      signal?.throwIfAborted();
      const api = new DaemonApi(origin, token);
      try {
        await api.#checkVersion();
        return api;
      } catch (error) {
        const failed = toDaemonError(error, 'be asked for its version', origin);
        if (failed.kind !== 'unreachable') throw failed;
        failure ??= failed;
      }
    }
    throw failure ?? new DaemonError('unreachable', `No daemon answers at ${baseUrl}.`);
  }

  /** Creates a session, or attaches to the shared one. */
  async createSession(options: NewSessionOptions): Promise<DaemonSessionClient> {
    const { lastEventId, eventEpoch, ...request } = options;
    const created = await this.#call('open a session', () =>
      DaemonSessionClient.createOrAttach(this.#client, request),
    );
    // A cursor belongs to a session that was there before: a new one starts with its first event.
    if (lastEventId === undefined || !created.attached) return created;
    const session = { client: this.#client, session: created.session, lastEventId };
    return new DaemonSessionClient(eventEpoch === undefined ? session : { ...session, eventEpoch });
  }

  /** Opens a session with its history. `clientId` keeps an earlier registration. */
  loadSession(sessionId: string, workspaceCwd: string, clientId?: string): Promise<DaemonSessionClient> {
    return this.#call('load the session', () =>
      DaemonSessionClient.load(this.#client, sessionId, { workspaceCwd }, clientId),
    );
  }

  /** Opens a session from where it is, without its history. */
  resumeSession(sessionId: string, workspaceCwd: string): Promise<DaemonSessionClient> {
    return this.#call('resume the session', () =>
      DaemonSessionClient.resume(this.#client, sessionId, { workspaceCwd }),
    );
  }

  listSessions(workspaceCwd: string): Promise<DaemonSessionSummary[]> {
    return this.#call('list its sessions', () => this.#client.listWorkspaceSessions(workspaceCwd));
  }

  async setApprovalMode(sessionId: string, mode: string): Promise<void> {
    // The daemon refuses a mode that it does not know; its list says which there are.
    await this.#call('set the approval mode', () =>
      this.#client.setSessionApprovalMode(sessionId, mode as DaemonApprovalMode),
    );
  }

  /** Takes a prompt out of a session's queue. False when it is not in there any more. */
  async removePrompt(sessionId: string, promptId: string, clientId?: string): Promise<boolean> {
    const { removed } = await this.#call('take the message out of its queue', () =>
      this.#client.removePendingPrompt(sessionId, promptId, clientId === undefined ? {} : { clientId }),
    );
    return removed;
  }

  /** The turns that a session can go back to. */
  async rewindTurns(sessionId: string): Promise<readonly RewindTurn[]> {
    const { snapshots } = await this.#call('tell what it can go back to', () =>
      this.#client.getRewindSnapshots(sessionId),
    );
    return snapshots.map(({ promptId, turnIndex, timestamp }) => ({
      id: promptId,
      index: turnIndex,
      at: Date.parse(timestamp),
    }));
  }

  /** Makes a session forget a turn and those after it. Files stay as they are. */
  async rewind(sessionId: string, turnId: string, clientId?: string): Promise<void> {
    await this.#call('go back', () =>
      this.#client.rewindSession(sessionId, turnId, {
        rewindFiles: false,
        ...(clientId !== undefined && { clientId }),
      }),
    );
  }

  /** The daemon's own folder, where it works in one only. */
  async workspace(): Promise<string | undefined> {
    const { workspaceCwd } = await this.#call('tell its folder', () => this.#client.capabilities());
    return workspaceCwd;
  }

  async #checkVersion(): Promise<void> {
    const { protocolVersions, v } = await this.#call('be asked for its version', () =>
      this.#client.capabilities(),
    );
    if (v === 1 && (protocolVersions?.supported.includes('v1') ?? true)) return;
    const message = `The daemon at ${this.origin} speaks another version of the protocol. It needs Qwen Code 0.24 or later.`;
    throw new DaemonError('incompatible', message);
  }

  async #call<T>(what: string, request: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await request();
      } catch (error) {
        if (!isTemporary(error) || attempt >= temporaryRetries) throw toDaemonError(error, what, this.origin);
      }
      await new Promise((resolve) => setTimeout(resolve, temporaryDelayMs));
    }
  }
}

/** A daemon never redirects; something that does would be handed the token elsewhere. */
const fetchWithoutRedirect: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });

/** A workspace that starts, or a session that everybody has left and that is being closed: both are over in a moment. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof DaemonHttpError)) return false;
  if (error.status === 503) return true;
  const { body } = error;
  return typeof body === 'object' && body !== null && 'code' in body && body.code === 'session_closing';
}
