import { onTestFinished } from 'vitest';
import { ClaudeClient } from '../../packages/agents/test/support/claudeClient.js';
import { pick, pickList } from './json.js';
import { type SdkAgent, sdkGenerations } from './sdkClients.js';
import type { TandemServer } from './tandem.js';

/** An agent over HTTP, such as Gemini CLI, that only receives notifications. It disconnects with the test. */
export async function listen(tandem: TandemServer, kind: string): Promise<SdkAgent> {
  const agent = await sdkGenerations.at(-1)?.connect(tandem.endpoint(kind));
  if (agent === undefined) throw new Error('There is no SDK client.');
  onTestFinished(() => agent.client.close());
  return agent;
}

/** Claude Code, only receiving notifications. It disconnects with the test. */
export async function listenAsClaude(tandem: TandemServer): Promise<ClaudeClient> {
  const client = await ClaudeClient.connect(tandem.endpoint('claude'));
  onTestFinished(() => client.close());
  return client;
}

/** Waits until the agent has received this active file; lines and characters count from 1. */
export function waitForContext(
  agent: SdkAgent,
  {
    path,
    line,
    character,
    selectedText,
  }: { path: string; line: number; character: number; selectedText?: string },
): Promise<void> {
  const isWanted = (params: unknown): boolean => {
    const active = filesOf(params).find((file) => pick(file, 'isActive') === true);
    return (
      pick(active, 'path') === path &&
      pick(active, 'cursor', 'line') === line &&
      pick(active, 'cursor', 'character') === character &&
      pick(active, 'selectedText') === selectedText
    );
  };
  return agent.waitForLast('ide/contextUpdate', isWanted, `${path}:${line}:${character}`);
}

/** The open files of a context update. */
export function filesOf(params: unknown): unknown[] {
  return pickList(params, 'workspaceState', 'openFiles');
}

/** The next selection sent to Claude Code that satisfies the predicate. */
export async function nextSelection(
  agent: ClaudeClient,
  isWanted: (params: unknown) => boolean,
): Promise<unknown> {
  for (;;) {
    const { params } = await agent.next('selection_changed');
    if (isWanted(params)) return params;
  }
}
