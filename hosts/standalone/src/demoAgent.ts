import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { readBoundedFile } from '@tandem/companion/files';
import * as z from 'zod';

const maxPortFileBytes = 64 * 1024;
const portFile = z.object({ port: z.number(), authToken: z.string() });
const accepted = z.object({ filePath: z.string(), content: z.string() });
const rejected = z.object({ filePath: z.string() });

export type DemoAnswer =
  | { readonly kind: 'accepted'; readonly content: string }
  | { readonly kind: 'rejected' };

/**
 * An agent without a model: it finds the companion by its discovery file, uses MCP over HTTP like Gemini CLI, and writes a file
 * after the user accepted it.
 */
export class DemoAgent {
  readonly #client = new Client({ name: 'tandem-demo-agent', version: '1.0.0' });
  readonly #waiting = new Map<string, (answer: DemoAnswer) => void>();

  /** Connects to the companion of a discovery file. The caller closes the agent. */
  static async connect(discoveryFile: string): Promise<DemoAgent> {
    const { bytes } = await readBoundedFile(discoveryFile, { maxBytes: maxPortFileBytes });
    const { port, authToken } = portFile.parse(JSON.parse(bytes.toString('utf8')));
    const agent = new DemoAgent();
    agent.#client.setNotificationHandler('ide/diffAccepted', { params: accepted }, ({ filePath, content }) =>
      agent.#answer(filePath, { kind: 'accepted', content }),
    );
    agent.#client.setNotificationHandler('ide/diffRejected', { params: rejected }, ({ filePath }) =>
      agent.#answer(filePath, { kind: 'rejected' }),
    );
    const url = new URL(`http://127.0.0.1:${port}/mcp`);
    const headers = { authorization: `Bearer ${authToken}` };
    await agent.#client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return agent;
  }

  /** Proposes a change. Resolves when the user has decided; the agent has then written an accepted change. */
  async propose(folder: string, name: string, content: string): Promise<DemoAnswer> {
    const filePath = join(folder, name);
    const answered = new Promise<DemoAnswer>((resolve) => this.#waiting.set(filePath, resolve));
    const result = await this.#client.callTool({
      name: 'openDiff',
      arguments: { filePath, newContent: content },
    });
    if (result.isError)
      throw new Error(`The companion did not open the review: ${JSON.stringify(result.content)}`);
    const answer = await answered;
    if (answer.kind === 'accepted') await writeFile(filePath, answer.content);
    return answer;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #answer(filePath: string, answer: DemoAnswer): void {
    this.#waiting.get(filePath)?.(answer);
    this.#waiting.delete(filePath);
  }
}
