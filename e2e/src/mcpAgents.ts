import type { AgentId } from '@tandem/companion/agents';
import { onTestFinished } from 'vitest';
import { ClaudeClient } from '../../packages/agents/test/support/claudeClient.js';
import { CopilotClient } from '../../packages/agents/test/support/copilotClient.js';
import { jsonOf } from '../../packages/agents/test/support/rpc.js';
import { pick, pickList, pickText } from './json.js';
import { sdkGenerations } from './sdkClients.js';
import type { TandemServer } from './tandem.js';

/** The answer that an agent received for its proposal. */
type Answer = { readonly kind: 'accepted'; readonly content: string } | { readonly kind: 'rejected' };

/** An agent that is only an MCP client: it speaks a CLI's protocol and returns the answers. */
export interface McpAgent {
  readonly kind: AgentId;
  /** It writes its own proposal, which is then the content of its answer, also if the user has corrected it. */
  readonly writesOwnText?: boolean;
  /** Proposes a change; `answer` resolves when the user has decided. Resolves when the review is open. */
  propose(path: string, content: string): Promise<{ readonly id: string; readonly answer: Promise<Answer> }>;
  /** Withdraws a proposal, as if it was decided in the agent's own terminal. */
  withdraw(path: string): Promise<void>;
  close(): Promise<void>;
}

/** An agent like Gemini CLI or Qwen Code: MCP over HTTP. It disconnects with the test. */
export async function connectHttpAgent(tandem: TandemServer, kind: 'gemini' | 'qwen'): Promise<McpAgent> {
  const generation = sdkGenerations.at(-1);
  if (generation === undefined) throw new Error('There is no SDK client.');
  const agent = await generation.connect(tandem.endpoint(kind));
  const close = (): Promise<void> => agent.client.close();
  onTestFinished(close);
  const { session } = await tandem.waitForEvent('session.connected', { agent: kind });
  return {
    kind,
    async propose(path, content) {
      const since = agent.notifications.length;
      await agent.openDiff(path, content);
      const id = await tandem.nextReview({ agent: kind, session, path });
      const answer = Promise.race([
        agent.waitForNotification('ide/diffAccepted', path, since),
        agent.waitForNotification('ide/diffRejected', path, since),
      ]).then(
        ({ method, params }): Answer =>
          method === 'ide/diffAccepted'
            ? { kind: 'accepted', content: pickText(params, 'content') }
            : { kind: 'rejected' },
      );
      // A test may ignore the answer.
      answer.catch(() => {});
      return { id, answer };
    },
    async withdraw(path) {
      await agent.closeDiff(path);
    },
    close,
  };
}

/** An agent like Claude Code: MCP over WebSocket, with a tool call that blocks until the decision. */
export async function connectClaudeAgent(tandem: TandemServer): Promise<McpAgent> {
  const client = await ClaudeClient.connect(tandem.endpoint('claude'));
  const close = (): Promise<void> => client.close();
  onTestFinished(close);
  const { session } = await tandem.waitForEvent('session.connected', { agent: 'claude' });
  const tabOf = (path: string): string => `✻ [Claude Code] ${path} ⧉`;
  return {
    kind: 'claude',
    async propose(path, content) {
      const call = client.beginOpenDiff(path, content, tabOf(path));
      const id = await tandem.nextReview({ agent: 'claude', session, path });
      const answer = client.answer(call).then(({ result }): Answer => {
        const [word, text] = pickList(result, 'content').map((part) => pick(part, 'text'));
        return word === 'FILE_SAVED' ? { kind: 'accepted', content: String(text) } : { kind: 'rejected' };
      });
      answer.catch(() => {});
      return { id, answer };
    },
    async withdraw(path) {
      await client.call('close_tab', { tab_name: tabOf(path) });
    },
    close,
  };
}

/** An agent like Copilot CLI: MCP over HTTP on a Unix socket, with a tool call that blocks until the decision. */
export async function connectCopilotAgent(
  tandem: TandemServer,
): Promise<McpAgent & { readonly client: CopilotClient }> {
  const client = await CopilotClient.connect(tandem.endpoint('copilot'));
  onTestFinished(() => client.hangUp());
  const { session } = await tandem.waitForEvent('session.connected', { agent: 'copilot' });
  const tabOf = (path: string): string => `[Copilot CLI] - ${path}`;
  return {
    kind: 'copilot',
    writesOwnText: true,
    client,
    async propose(path, content) {
      const call = client.openDiff(path, content, tabOf(path));
      const answer = call.then((message): Answer => {
        const result = pick(jsonOf(message), 'result');
        return result === 'SAVED' ? { kind: 'accepted', content } : { kind: 'rejected' };
      });
      // A test may ignore the answer, which is an error after a withdrawal.
      answer.catch(() => {});
      return { id: await tandem.nextReview({ agent: 'copilot', session, path }), answer };
    },
    async withdraw(path) {
      await client.call('close_diff', { tab_name: tabOf(path) });
    },
    close: () => client.disconnect(),
  };
}

/** One agent of each kind, for `describe.each`. */
export const mcpAgents: readonly {
  readonly kind: McpAgent['kind'];
  connect(tandem: TandemServer): Promise<McpAgent>;
}[] = [
  { kind: 'gemini', connect: (tandem) => connectHttpAgent(tandem, 'gemini') },
  { kind: 'qwen', connect: (tandem) => connectHttpAgent(tandem, 'qwen') },
  { kind: 'claude', connect: connectClaudeAgent },
  { kind: 'copilot', connect: connectCopilotAgent },
];
