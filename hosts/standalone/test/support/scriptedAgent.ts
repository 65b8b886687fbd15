import { readFileSync, writeFileSync } from 'node:fs';
import { CompanionClient, geminiManner } from '../../../../packages/agents/test/support/companionClient.js';

/** An agent that uses the wire and finds its companion like Gemini CLI. The caller that connects it ends it. */
export class ScriptedAgent {
  readonly client: CompanionClient;

  private constructor(client: CompanionClient) {
    this.client = client;
  }

  /** Connects to the companion that a discovery file names. */
  static async connect(discoveryFile: string): Promise<ScriptedAgent> {
    const { port, authToken } = JSON.parse(readFileSync(discoveryFile, 'utf8'));
    const endpoint = { url: `http://127.0.0.1:${port}/mcp`, token: authToken };
    return new ScriptedAgent(await CompanionClient.connect(endpoint, geminiManner));
  }

  async propose(path: string, content: string): Promise<void> {
    const { result } = await this.client.openDiff(path, content);
    if (result?.isError) throw new Error(JSON.stringify(result.content));
  }

  /** The last accepted content; waits for it if necessary. */
  async accepted(): Promise<string> {
    return (await this.client.next('ide/diffAccepted')).params.content;
  }

  /** Writes the last accepted content to its file. The file is as before once `isSeen` resolves. */
  async writes(file: string, isSeen: () => Promise<unknown>): Promise<string> {
    const content = await this.accepted();
    const before = readFileSync(file);
    writeFileSync(file, content);
    await isSeen();
    writeFileSync(file, before);
    return content;
  }

  end(): Promise<void> {
    return this.client.end();
  }
}
