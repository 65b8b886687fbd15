import {
  type DaemonApprovalMode,
  DaemonClient,
  DaemonHttpError,
  DaemonSessionClient,
  type DaemonSessionSummary,
} from '@qwen-code/sdk/daemon';
import * as z from 'zod';
import { DaemonError } from './daemonError.js';
import { resolveDaemonUrl } from './daemonUrl.js';
import { PromptEnded } from './sessionClient.js';
import { toDaemonError } from './toDaemonError.js';

export interface DaemonApiOptions {
  /** The daemon's URL on this machine. */
  readonly baseUrl: string;
  /** Without a token none is sent, even if the environment contains one. */
  readonly token?: string;
}

export interface NewSessionOptions {
  /** The workspace folder, as an absolute path. It must be the daemon's own. */
  readonly workspaceCwd?: string;
  readonly modelServiceId?: string;
  /** `single`, the daemon's default, is the session that all clients share; `thread` is a new chat. */
  readonly sessionScope?: 'single' | 'thread';
  /** Resumes the stream of the shared session after this event. */
  readonly lastEventId?: number;
  readonly eventEpoch?: string;
  /** An existing registration of this client, which is kept. */
  readonly clientId?: string;
}

/** A turn that a session can be rewound to. */
interface RewindTurn {
  readonly id: string;
  /** From 0. */
  readonly index: number;
  /** The start: Unix time in milliseconds by the daemon's clock. */
  readonly at: number;
}

/** The daemon answers 503 while it starts a workspace, for up to half a second. */
const temporaryRetries = 20;
const temporaryDelayMs = 150;

/** The daemon's HTTP requests. They throw `DaemonError`. Nothing to close. */
export class DaemonApi {
  readonly #client: DaemonClient;

  private constructor(
    readonly origin: string,
    token: string | undefined,
  ) {
    // The SDK would take an omitted token from the environment, where it may belong to another daemon.
    this.#client = new DaemonClient({ baseUrl: origin, token: token ?? '', fetch: fetchFromDaemon });
  }

  /**
   * Finds the daemon at a URL and checks that it is a daemon, its version and the token.
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
        const failed = toDaemonError(error, 'report its version', origin);
        if (failed.kind !== 'unreachable') throw failed;
        failure ??= failed;
      }
    }
    throw failure ?? new DaemonError('unreachable', `No daemon answers at ${baseUrl}.`);
  }

  /** Creates a session, or attaches to the shared one. */
  async createSession(options: NewSessionOptions): Promise<DaemonSessionClient> {
    const { lastEventId, eventEpoch, clientId, ...request } = options;
    const created = await this.#call('open a session', () =>
      DaemonSessionClient.createOrAttach(this.#client, request, clientId),
    );
    // A cursor is valid only in a session that existed before.
    if (lastEventId === undefined || !created.attached) return created;
    const session = { client: this.#client, session: created.session, lastEventId };
    return new DaemonSessionClient(eventEpoch === undefined ? session : { ...session, eventEpoch });
  }

  /** Opens a session with its history. `clientId` keeps an existing registration. */
  loadSession(sessionId: string, workspaceCwd: string, clientId?: string): Promise<DaemonSessionClient> {
    return this.#call('load the session', () =>
      DaemonSessionClient.load(this.#client, sessionId, { workspaceCwd }, clientId),
    );
  }

  listSessions(workspaceCwd: string): Promise<DaemonSessionSummary[]> {
    return this.#call('list its sessions', () => this.#client.listWorkspaceSessions(workspaceCwd));
  }

  async setApprovalMode(sessionId: string, mode: string): Promise<void> {
    // The id comes from the daemon's own list, which may know more modes than the SDK.
    await this.#call('set the approval mode', () =>
      this.#client.setSessionApprovalMode(sessionId, mode as DaemonApprovalMode),
    );
  }

  /** Removes a prompt from a session's queue. False if it is no longer queued. */
  async removePrompt(sessionId: string, promptId: string, clientId?: string): Promise<boolean> {
    const { removed } = await this.#call('remove the message from its queue', () =>
      this.#client.removePendingPrompt(sessionId, promptId, clientId === undefined ? {} : { clientId }),
    );
    return removed;
  }

  /** The turns that a session can be rewound to. */
  async rewindTurns(sessionId: string): Promise<readonly RewindTurn[]> {
    const { snapshots } = await this.#call('list the turns of the session', () =>
      this.#client.getRewindSnapshots(sessionId),
    );
    return snapshots.map(({ promptId, turnIndex, timestamp }) => ({
      id: promptId,
      index: turnIndex,
      at: Date.parse(timestamp),
    }));
  }

  /** Drops a turn and all turns after it. Files stay unchanged. */
  async rewind(sessionId: string, turnId: string, clientId?: string): Promise<void> {
    await this.#call('rewind the session', () =>
      this.#client.rewindSession(sessionId, turnId, {
        rewindFiles: false,
        ...(clientId !== undefined && { clientId }),
      }),
    );
  }

  async #checkVersion(): Promise<void> {
    const { protocolVersions, v } = await this.#call('report its version', () => this.#client.capabilities());
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

const wirePromptEnd = z.object({ stopReason: z.string(), promptId: z.undefined().optional() });

/**
 * A daemon never redirects; a redirect would send the token elsewhere. Throws `PromptEnded` for a prompt that is answered with
 * 200 at the end of its turn, which the SDK reports as a failure.
 */
const fetchFromDaemon: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  const { pathname } = new URL(response.url);
  if (response.status !== 200 || init?.method !== 'POST' || !pathname.endsWith('/prompt')) return response;
  const ended = wirePromptEnd.safeParse(await response.clone().json());
  if (ended.success) throw new PromptEnded(ended.data.stopReason);
  return response;
};

/** The daemon starts a workspace, or closes an idle session: both end within a moment. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof DaemonHttpError)) return false;
  if (error.status === 503) return true;
  const { body } = error;
  return typeof body === 'object' && body !== null && 'code' in body && body.code === 'session_closing';
}
