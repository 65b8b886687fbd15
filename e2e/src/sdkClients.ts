import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client123 } from 'mcp-sdk-1-23/client/index.js';
import { StreamableHTTPClientTransport as Transport123 } from 'mcp-sdk-1-23/client/streamableHttp.js';
import { Client as Client132 } from 'mcp-sdk-1-32/client/index.js';
import { StreamableHTTPClientTransport as Transport132 } from 'mcp-sdk-1-32/client/streamableHttp.js';
import { Changes } from './changes.js';
import { pick, pickList } from './json.js';
import type { AgentEndpoint } from './tandem.js';

interface Notification {
  readonly method: string;
  readonly params?: unknown;
}

/** The members that an agent needs and that all three generations of the SDK's client have. */
interface AnyClient {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  close(): Promise<void>;
}

/** One generation of the MCP SDK: its version, and how to connect with it. */
export interface SdkGeneration {
  readonly name: string;
  /** `info`: name and version that the agent reports. */
  connect(endpoint: AgentEndpoint, info?: { name: string; version: string }): Promise<SdkAgent>;
}

/** An agent like Gemini CLI, which is only an SDK client. The creator closes it. */
export class SdkAgent {
  readonly notifications: Notification[] = [];
  readonly #changes = new Changes();

  constructor(readonly client: AnyClient) {}

  /** The client's handler for unknown notifications. */
  readonly receive = async ({ method, params }: Notification): Promise<void> => {
    this.notifications.push({ method, params });
    this.#changes.notify();
  };

  /** `since`: how many earlier notifications to ignore. */
  waitForNotification(method: string, filePath?: string, since = 0): Promise<Notification> {
    return this.#changes.until(
      () =>
        this.notifications
          .slice(since)
          .find(
            (one) =>
              one.method === method && (filePath === undefined || pick(one.params, 'filePath') === filePath),
          ),
      { what: `${method} ${filePath ?? ''}`, evidence: () => JSON.stringify(this.notifications) },
    );
  }

  /** Resolves when the latest notification with this method satisfies the predicate. */
  async waitForLast(method: string, isWanted: (params: unknown) => boolean, what: string): Promise<void> {
    await this.#changes.until(
      () => isWanted(this.notifications.findLast((one) => one.method === method)?.params),
      { what, evidence: () => JSON.stringify(this.notifications) },
    );
  }

  /** Resolves when a context with this active file and selection has arrived. */
  async waitForContext(path: string, selectedText: string): Promise<void> {
    await this.#changes.until(
      () =>
        this.notifications.some(({ method, params }) => {
          if (method !== 'ide/contextUpdate') return false;
          const active = pickList(params, 'workspaceState', 'openFiles').find(
            (file) => pick(file, 'isActive') === true,
          );
          return pick(active, 'path') === path && pick(active, 'selectedText') === selectedText;
        }),
      { what: `a context with ${path} selected`, evidence: () => JSON.stringify(this.notifications) },
    );
  }

  openDiff(filePath: string, newContent: string): Promise<unknown> {
    return this.client.callTool({ name: 'openDiff', arguments: { filePath, newContent } });
  }

  closeDiff(filePath: string): Promise<unknown> {
    return this.client.callTool({ name: 'closeDiff', arguments: { filePath } });
  }
}

const usualInfo = { name: 'sdk-agent', version: '1.0.0' };

export const sdkGenerations: readonly SdkGeneration[] = [
  {
    name: '1.23',
    async connect({ url, token }, info = usualInfo) {
      const client = new Client123(info);
      const agent = new SdkAgent(client);
      client.fallbackNotificationHandler = agent.receive;
      await client.connect(new Transport123(new URL(url), withToken(token)));
      return agent;
    },
  },
  {
    name: '1.32',
    async connect({ url, token }, info = usualInfo) {
      const client = new Client132(info);
      const agent = new SdkAgent(client);
      client.fallbackNotificationHandler = agent.receive;
      await client.connect(new Transport132(new URL(url), withToken(token)));
      return agent;
    },
  },
  {
    name: '2.4',
    async connect({ url, token }, info = usualInfo) {
      const client = new Client2(info);
      const agent = new SdkAgent(client);
      client.fallbackNotificationHandler = agent.receive;
      await client.connect(new Transport2(new URL(url), withToken(token)));
      return agent;
    },
  },
];

function withToken(token: string): { requestInit: { headers: Record<string, string> } } {
  return { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
}
