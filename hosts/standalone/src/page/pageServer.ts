import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { hostname } from 'node:os';
import type { Duplex } from 'node:stream';
import type { Companion } from '@tandem/companion';
import { CompanionChat } from '@tandem/companion/chat';
import { LoopbackServer } from '@tandem/companion/loopback';
import { DisposableStore, describeError, type Logger, type Path } from '@tandem/core';
import type { WhenClosed } from '@tandem/reviews';
import { ChatFeed } from '../chat/chatFeed.js';
import type { PageEditor } from '../editor/pageEditor.js';
import { commandName } from '../output.js';
import { ChangeWatch } from './changeWatch.js';
import { FolderWatch } from './folderWatch.js';
import { LivePages } from './livePages.js';
import { createLiveUpgrader } from './liveUpgrader.js';
import { OpenConflicts } from './openConflicts.js';
import { PageAddressFile, takePageAddress } from './pageAddress.js';
import { PageAssets } from './pageAssets.js';
import { sendPageEvents } from './pageEvents.js';
import { PageRequests } from './pageRequests.js';
import { PageSecrets } from './pageSecrets.js';
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
  /** The effect of closing the tab of a pending review. Default: `reject`. */
  readonly whenClosed?: WhenClosed;
}

/** A browser opens at most six per page, and one for the WebSocket. */
const maxConnections = 512;
/** How long `close` waits for pages that do not read, in milliseconds. */
const closeLimitMs = 400;

const notTrusted =
  'This folder is served with --untrusted, so no daemon is started in it. Serve it without --untrusted, or connect to a daemon that you started yourself.';

/**
 * Serves the page of a companion to browsers on this machine: HTTP and one WebSocket per open page, on 127.0.0.1, with
 * its own key and token. The caller that starts it closes it before it stops the companion.
 */
export class PageServer {
  readonly #options: PageServerOptions;
  readonly #server = new LoopbackServer({ maxConnections, closeLimitMs });
  readonly #secrets = new PageSecrets();
  readonly #requests: PageRequests;
  readonly #live: LivePages;
  /** The chat of the pages, and its daemon. Closed with the server. */
  readonly chat: CompanionChat;
  readonly #owned = new DisposableStore();
  #port = 0;
  #closing: Promise<void> | undefined;

  private constructor(options: PageServerOptions) {
    const { companion, editor, logger } = options;
    this.#options = options;
    const assets = new PageAssets(options.folder);
    const workspaceFolders = (): readonly Path[] => companion.editor.workspace.folders();
    const paths = new WorkspacePaths(workspaceFolders);
    const values = new PageValues({ companion, editor, paths });
    const texts = this.#owned.add(new TextFeed());
    const restored = this.#owned.add(new RestoredTexts({ companion, editor }));
    const openConflicts = this.#owned.add(new OpenConflicts({ companion, editor, logger }));
    const onDidChange = (): void => this.#live.touch('changes');
    const changeWatch = this.#owned.add(new ChangeWatch({ companion, onDidChange, logger }));
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
        token: this.#secrets.token,
        connection,
        build: await assets.build(),
        version: options.version,
        folders: paths.folders(),
        isTrusted: editor.workspace.isTrusted(),
        machine: hostname(),
        command: commandName,
      }),
      read: {
        decided: () => ({ event: 'decided', reviews: values.decided() }),
        reviews: async () => ({ event: 'reviews', reviews: await values.reviews() }),
        sessions: () => ({ event: 'sessions', sessions: values.sessions() }),
        changes: () => ({ event: 'changes', revision: changeWatch.revision }),
        interrupted: () => ({ event: 'interrupted', reviews: values.apart(restored) }),
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
        onDidChange: (changed) => {
          this.#live.send({ event: 'files', folders: [...changed] });
          // A changed ignore file may affect open files.
          this.#live.touch('documents');
        },
      }),
    );
    const services = {
      companion,
      editor,
      paths,
      values,
      texts,
      restored,
      changeWatch,
      openConflicts,
      folders,
      ignore,
      chat,
      chatFeed,
      whenClosed: options.whenClosed ?? 'reject',
      logger,
    };
    this.#requests = new PageRequests({
      secrets: this.#secrets,
      assets,
      services,
      connections: this.#live.connections,
      vouchFor: (request) => this.#server.connections.vouchFor(request.socket),
    });
    this.#owned.add(sendPageEvents({ companion, editor, live: this.#live, chat }));
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
    return this.#port;
  }

  /** The address of the page for users, valid while this process runs. Contains the key. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/#key=${this.#secrets.key}`;
  }

  /** An address for a program that opens a browser. It works once, within a minute, and redirects to `url`. */
  addressForOpening(): string {
    return `http://127.0.0.1:${this.port}/open/${this.#secrets.openingCode()}`;
  }

  /** The number of open pages. */
  get openPages(): number {
    return this.#live.count;
  }

  /** Sends the open pages the outcome of the last review, then the end of the demo. Resolves once both are sent. */
  endDemo(): Promise<void> {
    return this.#live.sendAfter('reviews', { event: 'demo-ended' });
  }

  /** Closes the open pages with 1001 and stops listening. Does not wait for pages that do not read. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #start(): Promise<void> {
    const { companion, logger, port } = this.#options;
    const onRequest: RequestListener = (request, response) => void this.#requests.serve(request, response);
    const { http, connections } = this.#server;
    http.on('request', onRequest).on('checkContinue', onRequest);
    http.on('clientError', (_error, socket) => socket.destroy());
    http.on('connect', (_request, socket: Duplex) => socket.destroy());
    const upgrade = createLiveUpgrader({
      holdsToken: (token) => this.#secrets.accepts(token),
      accept: (socket, request) => {
        connections.vouchFor(request.socket);
        return this.#live.accept(socket);
      },
      logger,
    });
    this.#server.onUpgrade(upgrade);
    const address = await takePageAddress({
      file: new PageAddressFile(companion.editor.workspace.folders(), logger),
      listen: (wanted) => this.#server.listen(wanted),
      ...(port !== undefined && { port }),
    });
    this.#port = address.port;
    this.#secrets.token = address.token;
    http.on('error', (error) => logger.error('the page failed', { error: describeError(error) }));
  }

  async #close(): Promise<void> {
    this.#owned.dispose();
    const isChatClosed = this.chat.close();
    await this.#server.closing.begin(() => this.#live.close());
    await isChatClosed;
  }
}
