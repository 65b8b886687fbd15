import { request } from 'node:http';
import type { AgentId } from '@tandem/companion/agents';
import { expect, vi } from 'vitest';
import { ClaudeClient } from '../../../../packages/agents/test/support/claudeClient.js';
import {
  CompanionClient,
  geminiManner,
  qwenManner,
} from '../../../../packages/agents/test/support/companionClient.js';
import type { TandemProcess } from './tandemProcess.js';

export type Agent = AgentId;

/** An agent that proposes one change to one file and counts the answers. The caller that connects it ends it. */
export class Proposer {
  readonly client: ClaudeClient | CompanionClient;
  readonly #path: string;
  readonly #proposed: string;
  /** Whether the agent was notified that its proposal is open. Claude Code receives nothing before the decision. */
  acknowledged: Promise<boolean> = Promise.resolve(false);
  #call = -1;

  private constructor(client: ClaudeClient | CompanionClient, path: string, proposed: string) {
    this.client = client;
    this.#proposed = proposed;
    this.#path = path;
  }

  static async connect(
    companion: TandemProcess,
    agent: Agent,
    path: string,
    proposed: string,
  ): Promise<Proposer> {
    const endpoint = (await companion.event('ready')).agents[agent];
    if (agent === 'claude') return new Proposer(await ClaudeClient.connect(endpoint), path, proposed);
    const manner = agent === 'gemini' ? geminiManner : qwenManner;
    return new Proposer(await CompanionClient.connect(endpoint, manner), path, proposed);
  }

  propose(): void {
    const { client } = this;
    if (client instanceof ClaudeClient) this.#call = client.beginOpenDiff(this.#path, this.#proposed);
    else {
      this.acknowledged = client.openDiff(this.#path, this.#proposed).then(
        () => true,
        () => false,
      );
    }
  }

  /** Sends the proposal without its end. */
  beginToPropose(token: string): void {
    const { client } = this;
    if (client instanceof ClaudeClient) {
      client.socket.send('{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"openD', {
        fin: false,
      });
      return;
    }
    const half = request(client.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'mcp-session-id': client.sessionId ?? '',
        'content-length': 1_000,
      },
    });
    half.on('error', () => {});
    half.write('{"jsonrpc":"2.0","id":77,"method":"tools/call"');
  }

  /** Stops reading, silently, so that the answer is not received. */
  stopListening(): void {
    if (this.client instanceof ClaudeClient) this.client.socket.pause();
    else this.client.hangUp();
  }

  /** Reconnects after the companion has ended: over HTTP in its session, over a WebSocket in a new one. */
  async comeBack(companion: TandemProcess, agent: Agent): Promise<Proposer> {
    const { client } = this;
    if (client instanceof ClaudeClient) {
      client.socket.resume();
      await client.closed;
      return Proposer.connect(companion, agent, this.#path, this.#proposed);
    }
    expect((await vi.waitFor(() => client.openStream())).status).toBe(200);
    return this;
  }

  async answered(): Promise<void> {
    const { client } = this;
    if (client instanceof ClaudeClient) await client.answer(this.#call);
    else await client.heard(() => this.answers.length > 0);
  }

  /** The outcomes of its proposal, over all connections. */
  get answers(): string[] {
    const { client } = this;
    if (client instanceof ClaudeClient) {
      const lines = client.received.split('\n').filter((line) => /FILE_SAVED|DIFF_REJECTED/.test(line));
      return lines.map((line) => JSON.parse(line).result.content[1]?.text ?? 'rejected');
    }
    return client.notifications
      .filter(({ method }) => method?.startsWith('ide/diff'))
      .map(({ params }) => params.content ?? 'rejected');
  }

  /** When it resolves, everything sent before has arrived. */
  async settle(): Promise<void> {
    await this.client.request('tools/list');
  }

  end(): void {
    if (this.client instanceof ClaudeClient) this.client.socket.terminate();
    else this.client.hangUp();
  }
}
