import { readFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { ClaudeClient } from '../../packages/agents/test/support/claudeClient.js';
import type { EmacsWindow } from './emacs.js';
import { pickText } from './json.js';
import { type SdkAgent, sdkGenerations } from './sdkClients.js';

/** An agent like Gemini CLI in a terminal of this Emacs. The caller closes it. */
export async function connectGemini(emacs: EmacsWindow): Promise<SdkAgent> {
  const { GEMINI_CLI_IDE_SERVER_PORT: port, GEMINI_CLI_IDE_AUTH_TOKEN: token = '' } = await emacs.variables();
  const connected = await sdkGenerations.at(-1)?.connect({
    url: `http://127.0.0.1:${port}/mcp`,
    token,
    discovery: [],
  });
  if (connected === undefined) throw new Error('There is no SDK client.');
  await emacs.waitForAgent({ kind: 'gemini' });
  return connected;
}

/** An agent like Claude Code in a terminal of this Emacs. It disconnects with the test. */
export async function connectClaude(emacs: EmacsWindow): Promise<ClaudeClient> {
  // Only Claude Code reads numbers as 0.4e5.
  const port = Number((await emacs.variables()).CLAUDE_CODE_SSE_PORT);
  const path = `${emacs.sandbox.home}/.claude/ide/${port}.lock`;
  const lock: unknown = JSON.parse(await readFile(path, 'utf8'));
  const url = `ws://127.0.0.1:${port}`;
  const client = await ClaudeClient.connect({ url, token: pickText(lock, 'authToken') });
  onTestFinished(() => client.close());
  return client;
}
