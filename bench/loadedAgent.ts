import { HttpClient } from './httpClient.js';
import { WebSocketClient } from './webSocketClient.js';

/** One session under load, of whatever protocol: proposes, and notes what it hears. */
export interface LoadedAgent {
  readonly agent: string;
  /** What came of the context: how many updates, and the last one. */
  readonly heard: { readonly updates: number; readonly last: string };
  /** Proposes a change and waits until it was accepted as it is. Rejects after a minute without an answer. */
  propose(filePath: string, content: string): Promise<void>;
  /** Asks for the tools, which costs the companion next to nothing. */
  ask(): Promise<unknown>;
  close(): void;
}

/** How a kind of agent connects. */
export interface AgentTarget {
  readonly url: string;
  readonly token: string;
}

const patienceMs = 60_000;

/** Gemini CLI or Qwen Code: the decision comes as a notification. */
export async function connectHttpAgent(agent: string, { url, token }: AgentTarget): Promise<LoadedAgent> {
  const heard = new ContextNews();
  /** What waits for its decision, by the proposal's content, which is another one each time. */
  const waiting = new Map<string, () => void>();
  let pending = '';
  const client = await HttpClient.connect({ port: Number(new URL(url).port), token }, (text) => {
    const events = (pending + text).split('\n\n');
    pending = events.pop() ?? '';
    for (const event of events) {
      heard.note(event, 'ide/contextUpdate');
      if (!event.includes('ide/diffAccepted')) continue;
      for (const [content, resolve] of waiting) if (event.includes(content)) resolve();
    }
  });
  return {
    agent,
    heard,
    async propose(filePath, content) {
      const decided = inTime(`the decision about ${filePath}`, (resolve) => waiting.set(content, resolve));
      await client.callTool('openDiff', { filePath, newContent: content });
      await decided;
      waiting.delete(content);
    },
    ask: () => client.list(),
    close: () => client.close(),
  };
}

/** Claude Code: the call itself waits. */
export async function connectWebSocketAgent(
  agent: string,
  { url, token }: AgentTarget,
): Promise<LoadedAgent> {
  const heard = new ContextNews();
  const client = await WebSocketClient.connect(Number(new URL(url).port), token, (text) =>
    heard.note(text, 'selection_changed'),
  );
  await client.initialize();
  return {
    agent,
    heard,
    async propose(filePath, content) {
      const args = {
        old_file_path: filePath,
        new_file_path: filePath,
        new_file_contents: content,
        tab_name: 'x',
      };
      await inTime(`the answer about ${filePath}`, async (resolve, reject) => {
        const answer = await client.ask('tools/call', { name: 'openDiff', arguments: args });
        if (answer.includes('FILE_SAVED') && answer.includes(content)) resolve();
        else reject(new Error(answer.slice(0, 200)));
      });
    },
    ask: () => client.ask('tools/list', {}),
    close: () => client.close(),
  };
}

/** What a session heard of the context. */
class ContextNews {
  updates = 0;
  last = '';

  note(message: string, method: string): void {
    if (!message.includes(method)) return;
    this.updates += 1;
    this.last = message;
  }
}

async function inTime(
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
