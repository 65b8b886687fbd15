import { HttpClient } from './httpClient.js';
import { WebSocketClient } from './webSocketClient.js';

/** One session under load, of any protocol: it proposes changes and records what it receives. */
export interface LoadedAgent {
  readonly agent: string;
  /** The received context: the number of updates, and the last one. */
  readonly received: { readonly updates: number; readonly last: string };
  /** Proposes a change and waits until it is accepted unchanged. Rejects after a minute without an answer. */
  propose(filePath: string, content: string): Promise<void>;
  /** Lists the tools, which costs the companion almost nothing. */
  ask(): Promise<unknown>;
  close(): void;
}

/** The connection data of an agent. */
export interface AgentTarget {
  readonly url: string;
  readonly token: string;
}

const patienceMs = 60_000;

/** Gemini CLI or Qwen Code: the decision arrives as a notification. */
export async function connectHttpAgent(agent: string, { url, token }: AgentTarget): Promise<LoadedAgent> {
  const received = new ContextNews();
  /** Pending proposals by content; each content is unique. */
  const waiting = new Map<string, () => void>();
  let pending = '';
  const client = await HttpClient.connect({ port: Number(new URL(url).port), token }, (text) => {
    const events = (pending + text).split('\n\n');
    pending = events.pop() ?? '';
    for (const event of events) {
      received.note(event, 'ide/contextUpdate');
      if (!event.includes('ide/diffAccepted')) continue;
      for (const [content, resolve] of waiting) if (event.includes(content)) resolve();
    }
  });
  return {
    agent,
    received,
    async propose(filePath, content) {
      const decided = withTimeout(`the decision about ${filePath}`, (resolve) =>
        waiting.set(content, resolve),
      );
      await client.callTool('openDiff', { filePath, newContent: content });
      await decided;
      waiting.delete(content);
    },
    ask: () => client.list(),
    close: () => client.close(),
  };
}

/** Claude Code: the call blocks until the decision. */
export async function connectWebSocketAgent(
  agent: string,
  { url, token }: AgentTarget,
): Promise<LoadedAgent> {
  const received = new ContextNews();
  const client = await WebSocketClient.connect(Number(new URL(url).port), token, (text) =>
    received.note(text, 'selection_changed'),
  );
  await client.initialize();
  return {
    agent,
    received,
    async propose(filePath, content) {
      const args = {
        old_file_path: filePath,
        new_file_path: filePath,
        new_file_contents: content,
        tab_name: 'x',
      };
      await withTimeout(`the answer about ${filePath}`, async (resolve, reject) => {
        const answer = await client.ask('tools/call', { name: 'openDiff', arguments: args });
        if (answer.includes('FILE_SAVED') && answer.includes(content)) resolve();
        else reject(new Error(answer.slice(0, 200)));
      });
    },
    ask: () => client.ask('tools/list', {}),
    close: () => client.close(),
  };
}

/** The context updates that a session received. */
class ContextNews {
  updates = 0;
  last = '';

  note(message: string, method: string): void {
    if (!message.includes(method)) return;
    this.updates += 1;
    this.last = message;
  }
}

async function withTimeout(
  what: string,
  run: (resolve: () => void, reject: (error: Error) => void) => unknown,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`${what} did not come`)), patienceMs);
      run(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
  }
}
