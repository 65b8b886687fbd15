// An agent without a model: `node agent.mjs FILE LINE` proposes to add a line to a file, and writes what the user accepts.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';

const [file, line] = process.argv.slice(2);
if (line === undefined) {
  console.error('Usage: node agent.mjs FILE LINE');
  process.exit(2);
}
const path = resolve(file);
const { GEMINI_CLI_IDE_SERVER_PORT: port, GEMINI_CLI_IDE_AUTH_TOKEN: token } = await findCompanion();
const client = new Client({ name: 'minimal-agent', version: '1.0.0' });

client.setNotificationHandler('ide/contextUpdate', { params: z.looseObject({}) }, ({ workspaceState }) => {
  const [active] = workspaceState?.openFiles ?? [];
  console.log(active === undefined ? 'No file is open.' : `Open: ${active.path}`);
});
const decided = new Promise((done) => {
  const answer = z.looseObject({ filePath: z.string(), content: z.string().optional() });
  client.setNotificationHandler('ide/diffAccepted', { params: answer }, done);
  client.setNotificationHandler('ide/diffRejected', { params: answer }, done);
});

const headers = { authorization: `Bearer ${token}` };
await client.connect(
  new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit: { headers } }),
);
try {
  const text = await readFile(path, 'utf8').catch(() => '');
  const proposal = { filePath: path, newContent: `${text}${line}\n` };
  const { isError, content: problem } = await client.callTool({ name: 'openDiff', arguments: proposal });
  if (isError) throw new Error(problem.map((each) => each.text).join('\n'));
  const { content } = await decided;
  if (content !== undefined) await writeFile(path, content);
  console.log(content === undefined ? 'Rejected.' : `Accepted: ${path} is written.`);
} finally {
  await client.close();
}

/** The variables with which agents in this folder find its companion. */
async function findCompanion() {
  const { GEMINI_CLI_IDE_SERVER_PORT, GEMINI_CLI_IDE_AUTH_TOKEN } = process.env;
  if (GEMINI_CLI_IDE_SERVER_PORT !== undefined)
    return { GEMINI_CLI_IDE_SERVER_PORT, GEMINI_CLI_IDE_AUTH_TOKEN };
  const manifest = createRequire(import.meta.url).resolve('tandem-cli/package.json');
  const command = join(dirname(manifest), 'bin/tandem.js');
  const { stdout } = await promisify(execFile)(process.execPath, [command, 'env', '--shell', 'json']);
  return JSON.parse(stdout);
}
