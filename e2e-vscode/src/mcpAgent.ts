import type { AgentId } from '@tandem/companion/agents';
import { onTestFinished } from 'vitest';
import { ClaudeClient } from '../../packages/agents/test/support/claudeClient.js';
import {
  CompanionClient,
  geminiManner,
  qwenManner,
} from '../../packages/agents/test/support/companionClient.js';
import { CopilotClient } from '../../packages/agents/test/support/copilotClient.js';
import { jsonOf, type RpcMessage, texts } from '../../packages/agents/test/support/rpc.js';
import type { CompanionWatch } from './companionWatch.js';

export type AgentKind = AgentId;

export const agentKinds: readonly AgentKind[] = ['claude', 'copilot', 'gemini', 'qwen'];

/** The answer that an agent received for a proposal. */
type Answer = { readonly kind: 'accepted'; readonly content: string } | { readonly kind: 'rejected' };

/** A change that an agent has proposed and the editor has acknowledged. */
export interface Proposed {
  /** The review's id in the companion. */
  readonly id: string;
  /** Waits for the agent's answer. */
  answer(): Promise<Answer>;
  /** Withdraws the proposal, as after a decision in the terminal. */
  withdraw(): Promise<void>;
}

/** The limit for the immediate effect of a user action. */
const limit = 60_000;

/** Connects exactly as one of the CLIs does, without a model or a screen. */
export async function connectAgent(companion: CompanionWatch, kind: AgentKind): Promise<McpAgent> {
  const agent = await clientOf(companion, kind);
  await agent.identify();
  onTestFinished(() => agent.close());
  return agent;
}

async function clientOf(companion: CompanionWatch, kind: AgentKind): Promise<McpAgent> {
  const endpoint = await companion.endpoint(kind);
  if (kind === 'claude') return new ClaudeAgent(companion, await ClaudeClient.connect(endpoint));
  if (kind === 'copilot') return new CopilotAgent(companion, await CopilotClient.connect(endpoint));
  const manner = kind === 'gemini' ? geminiManner : qwenManner;
  return new CompanionAgent(companion, await CompanionClient.connect(endpoint, manner), kind);
}

/** Claude Code's side of the protocol, with its tools. */
export async function connectClaude(companion: CompanionWatch): Promise<ClaudeAgent> {
  const agent = new ClaudeAgent(companion, await ClaudeClient.connect(await companion.endpoint('claude')));
  await agent.identify();
  onTestFinished(() => agent.close());
  return agent;
}

/** An agent that is connected to a companion. It disconnects with the test. */
export abstract class McpAgent {
  abstract readonly kind: AgentKind;
  /** It writes its own proposal, which is then the content of its answer, also if the user has corrected it. */
  readonly writesOwnText: boolean = false;
  #session = '';

  constructor(protected companion: CompanionWatch) {}

  /** The id of its session in the companion. */
  get session(): string {
    return this.#session;
  }

  async identify(): Promise<void> {
    this.#session = (await this.companion.waitForEvent('session.connected', { agent: this.kind })).session;
  }

  /** Continues the session in the successor of its companion. */
  connectedTo(companion: CompanionWatch): this {
    this.companion = companion;
    return this;
  }

  /** Proposes a file's whole new content, and waits until the companion has a review of it. */
  async propose(path: string, content: string): Promise<Proposed> {
    const handle = await this.begin(path, content);
    const id = await this.companion.nextReview({ session: this.#session, path });
    return { id, ...handle };
  }

  /** Waits for a notification that satisfies the predicate, and drops earlier ones with the same method. */
  async notification(method: string, holds: (message: RpcMessage) => boolean): Promise<RpcMessage> {
    return withTimeout(
      (async () => {
        for (;;) {
          const message = await this.next(method);
          if (holds(message)) return message;
        }
      })(),
      `${method} as it should be`,
    );
  }

  /** Reopens its stream after a successor replaced the companion. */
  abstract comeBack(): Promise<void>;
  abstract close(): Promise<void>;
  protected abstract next(method: string): Promise<RpcMessage>;
  protected abstract begin(path: string, content: string): Promise<Omit<Proposed, 'id'>>;
}

export class ClaudeAgent extends McpAgent {
  readonly kind = 'claude';
  #tabs = 0;

  constructor(
    companion: CompanionWatch,
    readonly client: ClaudeClient,
  ) {
    super(companion);
  }

  /** Calls a tool of the editor and returns its texts. */
  async call(name: string, args: unknown = {}): Promise<string[]> {
    return texts(await withTimeout(this.client.call(name, args), `the answer of ${name}`));
  }

  /** Calls a tool whose only text is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what came without a schema for each tool.
  async json(name: string, args: unknown = {}): Promise<any> {
    const [text = ''] = await this.call(name, args);
    return JSON.parse(text);
  }

  protected async begin(path: string, content: string): Promise<Omit<Proposed, 'id'>> {
    this.#tabs += 1;
    const name = `✻ [Claude Code] ${path.split('/').at(-1)} (${this.#tabs.toString(16).padStart(6, '0')}) ⧉`;
    const id = this.client.beginOpenDiff(path, content, name);
    return {
      answer: async () => {
        const [verdict, text] = texts(await withTimeout(this.client.answer(id), `the answer to ${path}`));
        if (verdict === 'FILE_SAVED') return { kind: 'accepted', content: text ?? '' };
        if (verdict === 'DIFF_REJECTED') return { kind: 'rejected' };
        throw new Error(`openDiff was answered by ${verdict}`);
      },
      withdraw: async () => void (await this.call('close_tab', { tab_name: name })),
    };
  }

  protected next(method: string): Promise<RpcMessage> {
    return this.client.next(method);
  }

  /** Claude Code reconnects with a new session. */
  async comeBack(): Promise<void> {
    throw new Error('a session of Claude Code ends with its socket');
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

class CopilotAgent extends McpAgent {
  readonly kind = 'copilot';
  override readonly writesOwnText = true;
  #tabs = 0;

  constructor(
    companion: CompanionWatch,
    readonly client: CopilotClient,
  ) {
    super(companion);
  }

  protected async begin(path: string, content: string): Promise<Omit<Proposed, 'id'>> {
    this.#tabs += 1;
    const name = `[Copilot CLI] - ${path.split('/').at(-1)} (${this.#tabs.toString(16).padStart(6, '0')})`;
    const call = this.client.openDiff(path, content, name);
    // A withdrawn one is answered with an error, which no test reads.
    call.catch(() => {});
    return {
      answer: async () => {
        const { result } = jsonOf(await withTimeout(call, `the answer to ${path}`));
        return result === 'SAVED' ? { kind: 'accepted', content } : { kind: 'rejected' };
      },
      withdraw: async () => void (await this.client.call('close_diff', { tab_name: name })),
    };
  }

  protected next(method: string): Promise<RpcMessage> {
    return this.client.next(method);
  }

  /** Over a new connection of its session. */
  comeBack(): Promise<void> {
    return this.client.connect();
  }

  async close(): Promise<void> {
    this.client.hangUp();
  }
}

class CompanionAgent extends McpAgent {
  constructor(
    companion: CompanionWatch,
    readonly client: CompanionClient,
    readonly kind: AgentKind,
  ) {
    super(companion);
  }

  protected async begin(path: string, content: string): Promise<Omit<Proposed, 'id'>> {
    const acknowledged = await withTimeout(this.client.openDiff(path, content), `openDiff of ${path}`);
    if (acknowledged.result?.isError) throw new Error(`openDiff was refused: ${texts(acknowledged)}`);
    const isAnswer = ({ method, params }: RpcMessage): boolean =>
      /^ide\/diff(Accepted|Rejected)$/.test(method ?? '') && params?.filePath === path;
    return {
      answer: async () => {
        const { client } = this;
        await withTimeout(
          client.until(() => client.notifications.some(isAnswer)),
          `what becomes of ${path}`,
        );
        const [answer] = client.notifications.splice(client.notifications.findIndex(isAnswer), 1);
        if (answer?.method === 'ide/diffRejected') return { kind: 'rejected' };
        return { kind: 'accepted', content: answer?.params.content };
      },
      withdraw: async () => void (await this.client.closeDiff(path)),
    };
  }

  protected next(method: string): Promise<RpcMessage> {
    return this.client.next(method);
  }

  async comeBack(): Promise<void> {
    const { status } = await this.client.openStream();
    if (status !== 200) throw new Error(`the stream was refused with status ${status}`);
  }

  /** Ends its session: one that only disconnects is expected back, and counts in the names of later ones. */
  close(): Promise<void> {
    return this.client.end();
  }
}

/** Rejects after the limit, with a description of what was expected. */
async function withTimeout<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${limit} ms waiting for ${what}`)), limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
