import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answerMeasures } from './answerMeasures.js';

/** The baseline of `/mcp`: the same SDK, used as in its manual, with one session and tools that do little. */
export interface SdkToolReady {
  readonly port: number;
}

const server = new McpServer({ name: 'floor', version: '0.0.0' });
server.registerTool(
  'answer',
  { inputSchema: z.object({ filePath: z.string(), newContent: z.string() }) },
  async () => ({ content: [] }),
);
server.registerTool(
  'echo',
  { inputSchema: z.object({ filePath: z.string(), newContent: z.string() }) },
  async ({ newContent }) => ({ content: [{ type: 'text', text: newContent }] }),
);
// What each review costs at least: it shows the file, and survives a crash.
const record = join(process.argv[2] ?? '.', 'record');
server.registerTool(
  'record',
  { inputSchema: z.object({ filePath: z.string(), newContent: z.string() }) },
  async ({ filePath, newContent }) => {
    const original = await readFile(filePath, 'utf8');
    await writeFile(`${record}.new`, JSON.stringify({ filePath, characters: original.length }));
    await rename(`${record}.new`, record);
    return { content: [{ type: 'text', text: newContent }] };
  },
);
const transport = new NodeStreamableHTTPServerTransport({
  sessionIdGenerator: () => randomUUID(),
  // The same limit as ours, for the large proposals.
  maxRequestBodySize: 64 * 1024 * 1024,
});
await server.connect(transport);

answerMeasures();
process.once('disconnect', () => process.exit());

const listener = createServer((request, response) => {
  void transport.handleRequest(request, response);
});
listener.listen(0, '127.0.0.1', () => {
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.send?.({ port } satisfies SdkToolReady);
});
