import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Timing } from './limits.js';
import { describeError, type TransportLogger } from './logger.js';
import { protocolVersions } from './mcpServer.js';
import type { CarrierReceiver, MessageCarrier } from './messageCarrier.js';
import { ResponseSink } from './responseSink.js';

export interface HttpCarrierOptions {
  readonly sessionId: string;
  readonly timing: Pick<Timing, 'keepAliveMs' | 'reopenMs'>;
  readonly logger: TransportLogger;
  /** The client ended the session with DELETE. */
  onDeleted(): void;
}

/** The MCP messages of one session over Streamable HTTP: the SDK's transport, fed from Node requests. */
export class HttpCarrier implements MessageCarrier {
  readonly #web: WebStandardStreamableHTTPServerTransport;
  readonly #logger: TransportLogger;
  readonly #sessionId: string;
  readonly #reopenMs: number;
  #stream: ResponseSink | undefined;

  constructor(options: HttpCarrierOptions) {
    this.#sessionId = options.sessionId;
    this.#logger = options.logger;
    this.#reopenMs = options.timing.reopenMs;
    this.#web = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => options.sessionId,
      supportedProtocolVersions: protocolVersions,
      keepAliveMs: options.timing.keepAliveMs,
      onsessionclosed: () => options.onDeleted(),
    });
  }

  /** Whether a GET stream is open, on which notifications travel. */
  get hasStream(): boolean {
    return this.#stream !== undefined;
  }

  async open(receiver: CarrierReceiver): Promise<void> {
    this.#web.onmessage = (message) => receiver.receive(message);
    this.#web.onclose = () => receiver.closed();
    this.#web.onerror = (error) => receiver.failed(error);
    await this.#web.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message) {
      const written = this.#stream?.nextMessageWritten();
      await this.#web.send(message);
      await written;
    } else {
      await this.#web.send(message);
      // The adapter hands an answer to the socket within this turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  cancelled(request: RequestId): void {
    // A cancelled request is never answered, and the 1.x clients leave its response open for ever.
    this.#web.closeSSEStream(request);
  }

  async close(): Promise<void> {
    await this.#web.close();
  }

  /**
   * Brings the SDK's transport to where a client's `initialize` would have brought it. Nobody waits for the answer: the
   * client had one from our predecessor.
   */
  async replayInitialize(params: Readonly<Record<string, unknown>>): Promise<void> {
    for (const message of [
      { jsonrpc: '2.0', id: 'resumed', method: 'initialize', params },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ]) {
      const request = new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...(message.id === undefined && { 'mcp-session-id': this.#sessionId }),
        },
      });
      const answer = await this.#web.handleRequest(request, { parsedBody: message });
      await answer.text();
    }
  }

  /** Serves a POST whose body was read already, or a DELETE. Resolves when the response has ended. */
  async serve(request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void> {
    const sink = new ResponseSink(response);
    await this.#adapt(request, sink, (web) => this.#web.handleRequest(web, { parsedBody: body }));
  }

  /**
   * Serves a GET. An older stream of this session is ended in order, because Gemini CLI takes a destroyed one
   * for the loss of the companion and the SDK by itself would refuse the newer one with 409.
   *
   * @param opened called when the stream can carry a notification
   * @param closed called when this stream is over and no newer one has replaced it
   */
  async serveStream(
    request: IncomingMessage,
    response: ServerResponse,
    opened: () => void,
    closed: () => void,
  ): Promise<void> {
    const sink = new ResponseSink(response, { reopenMs: this.#reopenMs });
    response.once('close', () => {
      if (this.#stream !== sink) return;
      this.#stream = undefined;
      // The adapter notices a lost client only at the next keep-alive.
      this.#web.closeStandaloneSSEStream();
      closed();
    });
    await this.#adapt(request, sink, async (web) => {
      if (web.headers.get('accept')?.includes('text/event-stream')) this.#web.closeStandaloneSSEStream();
      const answer = await this.#web.handleRequest(web);
      // The SDK has registered the stream when it returns the answer; what is sent from here on is queued in it.
      if (answer.status === 200 && !sink.isClosed) {
        this.#stream = sink;
        opened();
      }
      return answer;
    });
  }

  async #adapt(
    request: IncomingMessage,
    sink: ResponseSink,
    fetch: (request: Request) => Promise<Response>,
  ): Promise<void> {
    // The adapter serialises a parsed body only to parse it again. It is given none, and the headers that
    // would announce one are left out.
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...headers } = request.headers;
    const head = {
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      headers,
      async *[Symbol.asyncIterator]() {},
    };
    const handle = toNodeHandler(
      { fetch },
      {
        onerror: (error) => this.#logger.error('Serving a request failed.', { error: describeError(error) }),
      },
    );
    await handle(head, sink);
  }
}
