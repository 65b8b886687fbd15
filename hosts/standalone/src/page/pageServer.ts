import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import type { Duplex } from 'node:stream';
import type { Companion } from '@tandem/companion';
import { CompanionChat } from '@tandem/companion/chat';
import {
  bearerToken,
  createToken,
  LoopbackServer,
  readRequestBody,
  tokensEqual,
} from '@tandem/companion/loopback';
import { DisposableStore, describeError, type Logger, type Path } from '@tandem/core';
import { type CloseAction, connectionHeader, hostNonce, hostProof, hostProofPath } from '@tandem/page/wire';
import { type Dispatcher, internalError, RpcError, toFailure } from '@tandem/rpc';
import { ChatFeed } from '../chat/chatFeed.js';
import type { PageEditor } from '../editor/pageEditor.js';
import { commandName } from '../output.js';
import { FolderWatch } from './folderWatch.js';
import type { LiveConnection } from './liveConnection.js';
import { LivePages } from './livePages.js';
import { createLiveUpgrader } from './liveUpgrader.js';
import { type PageAddress, PageAddressFile, takePageAddress } from './pageAddress.js';
import { noToken, sendAnswer, sendJson } from './pageAnswer.js';
import { PageAssets } from './pageAssets.js';
import { PageEntry } from './pageEntry.js';
import { findForeignPage } from './pageGate.js';
import { tellPages } from './pageNews.js';
import type { PageServices } from './pageServices.js';
import { PageValues } from './pageValues.js';
import { RestoredTexts } from './restoredTexts.js';
import { TextFeed } from './textFeed.js';
import { logRefusals, WorkspaceIgnore } from './workspaceIgnore.js';
import { WorkspacePaths } from './workspacePaths.js';
import { listFolder } from './workspaceTree.js';

export interface PageServerOptions {
  readonly companion: Companion;
  readonly editor: PageEditor;
  /** The folder of the built page. */
  readonly folder: Path;
  readonly version: string;
  readonly logger: Logger;
  /** Exactly this port. Default: the last used port, otherwise any. */
  readonly port?: number;
  /** What closing the tab of a pending review means. Default: `reject`. */
  readonly whenClosed?: CloseAction;
}

/** A request can contain the whole text that a user edited. */
const maxBodyBytes = 128 * 1024 * 1024;
/** A browser opens at most six per page, and one for the WebSocket. */
const maxConnections = 512;
/** How long `close` waits for pages that do not read, in milliseconds. */
const closeLimitMs = 400;

const notTrusted =
  'This folder is served as not trusted, so that nothing is started in it. Serve it without --untrusted, or connect to a daemon that you started yourself.';

/**
 * Serves the page of a companion to browsers on this machine: HTTP and one WebSocket per open page, on 127.0.0.1, with
 * its own key and token. The caller that starts it closes it before it stops the companion.
 */
export class PageServer {
  readonly #options: PageServerOptions;
  readonly #server = new LoopbackServer({ maxConnections, closeLimitMs });
  readonly #assets: PageAssets;
  readonly #live: LivePages;
  /** The chat of the pages, and its daemon. Closed with the server. */
  readonly chat: CompanionChat;
  readonly #services: PageServices;
  #dispatch: Dispatcher<LiveConnection | undefined> | undefined;
  readonly #entry = new PageEntry();
  readonly #owned = new DisposableStore();
  /** Part of URLs, which browsers remember. It opens the page until this process ends. */
  readonly #key = createToken(32);
  #address: PageAddress = { port: 0, token: '' };
  #closing: Promise<void> | undefined;

  private constructor(options: PageServerOptions) {
    const { companion, editor, logger } = options;
    this.#options = options;
    this.#assets = new PageAssets(options.folder);
    const workspaceFolders = (): readonly Path[] => companion.editor.workspace.folders();
    const paths = new WorkspacePaths(workspaceFolders);
    const values = new PageValues({ companion, editor, paths });
    const texts = this.#owned.add(new TextFeed());
    const restored = this.#owned.add(new RestoredTexts({ companion, editor }));
    const [folder = process.cwd()] = workspaceFolders();
    this.chat = new CompanionChat({
      folder,
      obstacle: () => (editor.workspace.isTrusted() ? undefined : notTrusted),
      logger,
    });
    const { chat } = this;
    const chatFeed = this.#owned.add(new ChatFeed(chat));
    const instance = randomBytes(12).toString('base64url');
    this.#live = new LivePages({
      hello: async (connection) => ({
        event: 'hello',
        instance,
        token: this.#address.token,
        connection,
        build: await this.#assets.build(),
        version: options.version,
        folders: paths.folders(),
        isTrusted: editor.workspace.isTrusted(),
        machine: hostname(),
        whenClosed: options.whenClosed ?? 'reject',
        command: commandName,
      }),
      read: {
        reviews: () => ({ event: 'reviews', reviews: values.reviews() }),
        interrupted: () => ({ event: 'interrupted', reviews: values.interrupted(restored) }),
        documents: async () => ({ event: 'documents', documents: await values.documents() }),
        agents: async () => ({ event: 'agents', agents: await values.agents() }),
        sharing: async () => ({ event: 'sharing', sharing: await values.sharing() }),
        'chat-status': () => ({ event: 'chat-status', status: chat.status }),
      },
      onDidClose: (connection) => {
        texts.leave(connection);
        chatFeed.leave(connection);
      },
      logger,
    });
    const onRefused = logRefusals(logger);
    const ignore = (): WorkspaceIgnore => new WorkspaceIgnore(workspaceFolders(), onRefused);
    const folders = this.#owned.add(
      new FolderWatch({
        list: (folder) => listFolder(folder, workspaceFolders(), ignore()),
        tell: (changed) => {
          this.#live.tell({ event: 'files', folders: [...changed] });
          // A changed ignore file may hold open files back.
          this.#live.touch('documents');
        },
      }),
    );
    this.#services = {
      companion,
      editor,
      paths,
      values,
      texts,
      restored,
      folders,
      ignore,
      chat,
      chatFeed,
      logger,
    };
    this.#owned.add(tellPages({ companion, editor, live: this.#live, chat }));
  }

  /** Starts listening. Rejects if the port, or any port, is not available. */
  static async start(options: PageServerOptions): Promise<PageServer> {
    const server = new PageServer(options);
    try {
      await server.#start();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  get port(): number {
    return this.#address.port;
  }

  /** The address of the page for users, valid while this process runs. Contains the key. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/#key=${this.#key}`;
  }

  /** An address for a program that opens a browser. It works once, within a minute, and redirects to `url`. */
  addressForOpening(): string {
    return `http://127.0.0.1:${this.port}${this.#entry.path()}`;
  }

  /** The number of open pages. */
  get openPages(): number {
    return this.#live.count;
  }

  /** Sends the open pages the outcome of the last review, then the end of the demo. Resolves once both are sent. */
  endDemo(): Promise<void> {
    return this.#live.tellAfter('reviews', { event: 'demo-ended' });
  }

  /** Closes the open pages with 1001 and stops listening. Does not wait for pages that do not read. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #start(): Promise<void> {
    const { companion, logger, port } = this.#options;
    const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#serve(request, response);
    const { http, connections } = this.#server;
    http.on('request', onRequest).on('checkContinue', onRequest);
    http.on('clientError', (_error, socket) => socket.destroy());
    http.on('connect', (_request, socket: Duplex) => socket.destroy());
    const upgrade = createLiveUpgrader({
      holdsToken: (token) => this.#holdsSecret(token),
      accept: (socket, request) => {
        connections.vouchFor(request.socket);
        return this.#live.accept(socket);
      },
      logger,
    });
    http.on('upgrade', upgrade);
    this.#address = await takePageAddress({
      file: new PageAddressFile(companion.editor.workspace.folders(), logger),
      listen: (wanted) => this.#server.listen(wanted),
      ...(port !== undefined && { port }),
    });
    http.on('error', (error) => logger.error('the page failed', { error: describeError(error) }));
  }

  #holdsSecret(presented: string | undefined): boolean {
    const { token } = this.#address;
    if (presented === undefined || token === '') return false;
    const opens = [token, this.#key].map((secret) => tokensEqual(presented, secret));
    return opens.includes(true);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const foreign = findForeignPage(request.headers);
      if (foreign !== undefined) throw new RpcError('forbidden', foreign);
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (this.#entry.serve(request, response, path, this.#key)) return;
      if (path === hostProofPath) return await this.#prove(request, response);
      const [, method] = /^\/api\/(.*)$/.exec(path) ?? [];
      if (method === undefined) return await this.#assets.serve(request, response, path);
      if (!this.#holdsSecret(bearerToken(request.headers.authorization))) {
        throw new RpcError('unauthorized', noToken);
      }
      this.#server.connections.vouchFor(request.socket);
      await this.#answer(request, response, method);
    } catch (error) {
      const isExpected = error instanceof RpcError;
      if (!isExpected) this.#options.logger.error('the page failed', { error: describeError(error) });
      sendAnswer(response, toFailure(isExpected ? error : internalError()));
    }
  }

  /** Proves to a page that the server knows its secret, before the page sends it. */
  async #prove(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const nonce = new URL(request.url ?? '', 'http://127.0.0.1').searchParams.get('nonce') ?? '';
    if (request.method !== 'GET' || !hostNonce.test(nonce)) {
      throw new RpcError('bad-params', 'Ask by GET, with a nonce of 22 to 86 letters and digits.');
    }
    const secrets = [this.#address.token, this.#key];
    sendJson(response, 200, { proofs: await Promise.all(secrets.map((each) => hostProof(each, nonce))) });
  }

  async #answer(request: IncomingMessage, response: ServerResponse, method: string): Promise<void> {
    if (request.method !== 'POST') {
      throw new RpcError('unknown-method', `This companion does not know ${request.method} ${method}.`);
    }
    // Loaded with the first call, so that the start is faster.
    const { createPageDispatcher } = await import('./pageCalls.js');
    this.#dispatch ??= createPageDispatcher(this.#services);
    const body = await readRequestBody(request, response, maxBodyBytes);
    if (body.kind === 'gone') return;
    if (body.kind === 'refused') {
      const { status, message } = body.refusal;
      throw new RpcError(status === 413 ? 'too-large' : 'bad-params', message);
    }
    const named = request.headers[connectionHeader];
    const connection = typeof named === 'string' ? this.#live.connections.get(named) : undefined;
    sendAnswer(response, await this.#dispatch(method, body.value, connection));
  }

  async #close(): Promise<void> {
    this.#owned.dispose();
    const isChatClosed = this.chat.close();
    await this.#server.closing.begin(() => this.#live.close());
    await isChatClosed;
  }
}
