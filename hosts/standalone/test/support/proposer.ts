import { request } from 'node:http';
import type { AgentId } from '@tandem/companion/agents';
import { expect, vi } from 'vitest';
import { ClaudeClient } from '../../../../packages/agents/test/support/claudeClient.js';
import {
  CompanionClient,
  geminiManner,
  qwenManner,
} from '../../../../packages/agents/test/support/companionClient.js';
import { CopilotClient } from '../../../../packages/agents/test/support/copilotClient.js';
import { jsonOf } from '../../../../packages/agents/test/support/rpc.js';
import type { TandemProcess } from './tandemProcess.js';

export type Agent = AgentId;

/** An agent that proposes one change to one file and counts the answers. The caller that connects it ends it. */
export interface Proposer {
  /** Whether the agent was notified that its proposal is open. One whose call blocks receives nothing before the decision. */
  readonly acknowledged: Promise<boolean>;
  /** The outcomes of its proposal, over all connections: the text that it writes, or `rejected`. */
  readonly answers: readonly string[];
  propose(): void;
  /** Sends the proposal without its end. */
  beginToPropose(token: string): void;
  /** Stops reading, silently, so that the answer is not received. */
  stopListening(): void;
  /** Reconnects after the companion has ended, as its CLI does. */
  comeBack(companion: TandemProcess): Promise<Proposer>;
  answered(): Promise<void>;
  /** When it resolves, everything sent before has arrived. */
  settle(): Promise<void>;
  /** Ends its session in order, if its protocol has a message for it. */
  leave(): Promise<void>;
  end(): void;
}

export async function connectProposer(
  companion: TandemProcess,
  agent: Agent,
  path: string,
  proposed: string,
): Promise<Proposer> {
  const endpoint = (await companion.event('ready')).agents[agent];
  if (agent === 'claude') return new ClaudeProposer(await ClaudeClient.connect(endpoint), path, proposed);
  if (agent === 'copilot') return new CopilotProposer(await CopilotClient.connect(endpoint), path, proposed);
  const manner = agent === 'gemini' ? geminiManner : qwenManner;
  return new CompanionProposer(await CompanionClient.connect(endpoint, manner), path, proposed);
}

class ClaudeProposer implements Proposer {
  readonly acknowledged = Promise.resolve(false);
  #call = -1;

  constructor(
    readonly client: ClaudeClient,
    readonly path: string,
    readonly proposed: string,
  ) {}

  propose(): void {
    this.#call = this.client.beginOpenDiff(this.path, this.proposed);
  }

  beginToPropose(): void {
    const half = '{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"openD';
    this.client.socket.send(half, { fin: false });
  }

  stopListening(): void {
    this.client.socket.pause();
  }

  /** In a new session. */
  async comeBack(companion: TandemProcess): Promise<Proposer> {
    this.client.socket.resume();
    await this.client.closed;
    return connectProposer(companion, 'claude', this.path, this.proposed);
  }

  async answered(): Promise<void> {
    await this.client.answer(this.#call);
  }

  get answers(): string[] {
    const lines = this.client.received.split('\n').filter((line) => /FILE_SAVED|DIFF_REJECTED/.test(line));
    return lines.map((line) => JSON.parse(line).result.content[1]?.text ?? 'rejected');
  }

  async settle(): Promise<void> {
    await this.client.request('tools/list');
  }

  async leave(): Promise<void> {}

  end(): void {
    this.client.socket.terminate();
  }
}

class CompanionProposer implements Proposer {
  acknowledged: Promise<boolean> = Promise.resolve(false);

  constructor(
    readonly client: CompanionClient,
    readonly path: string,
    readonly proposed: string,
  ) {}

  propose(): void {
    this.acknowledged = this.client.openDiff(this.path, this.proposed).then(
      () => true,
      () => false,
    );
  }

  beginToPropose(token: string): void {
    const half = request(this.client.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'mcp-session-id': this.client.sessionId ?? '',
        'content-length': 1_000,
      },
    });
    half.on('error', () => {});
    half.write('{"jsonrpc":"2.0","id":77,"method":"tools/call"');
  }

  stopListening(): void {
    this.client.hangUp();
  }

  /** In its session. */
  async comeBack(): Promise<Proposer> {
    expect((await vi.waitFor(() => this.client.openStream())).status).toBe(200);
    return this;
  }

  async answered(): Promise<void> {
    await this.client.until(() => this.answers.length > 0);
  }

  get answers(): string[] {
    return this.client.notifications
      .filter(({ method }) => method?.startsWith('ide/diff'))
      .map(({ params }) => params.content ?? 'rejected');
  }

  async settle(): Promise<void> {
    await this.client.request('tools/list');
  }

  async leave(): Promise<void> {
    await this.client.end();
  }

  end(): void {
    this.client.hangUp();
  }
}

/** It writes its own proposal when it is accepted, whatever the user typed. */
class CopilotProposer implements Proposer {
  readonly acknowledged = Promise.resolve(false);
  readonly answers: string[] = [];
  #call: Promise<void> = Promise.resolve();
  #tabs = 0;

  constructor(
    readonly client: CopilotClient,
    readonly path: string,
    readonly proposed: string,
  ) {}

  propose(): void {
    this.#tabs += 1;
    this.#call = this.client.openDiff(this.path, this.proposed, `[Copilot CLI] - a.txt (${this.#tabs})`).then(
      (answer) => {
        if (answer.result?.isError === undefined)
          this.answers.push(jsonOf(answer).result === 'SAVED' ? this.proposed : 'rejected');
      },
      () => {},
    );
  }

  beginToPropose(): void {
    this.client.beginPost('{"jsonrpc":"2.0","id":77,"method":"tools/call"');
  }

  stopListening(): void {
    this.client.hangUp();
  }

  /** In its session, over a new connection. */
  async comeBack(): Promise<Proposer> {
    await this.client.connect();
    return this;
  }

  answered(): Promise<void> {
    return this.#call;
  }

  async settle(): Promise<void> {
    await this.client.request('tools/list');
  }

  leave(): Promise<void> {
    return this.client.disconnect();
  }

  end(): void {
    this.client.hangUp();
  }
}
