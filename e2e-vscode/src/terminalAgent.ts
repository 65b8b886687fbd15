import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Agent, ContextAgent } from '../../e2e/src/agents/agent.js';
import { ScriptedModel } from '../../e2e/src/model/scriptedModel.js';
import { RunningAgent } from '../../e2e/src/runningAgent.js';
import type { TerminalPane } from './terminalPane.js';
import type { Desk } from './vscodeSite.js';

/** A real CLI in a terminal of the editor. */
interface StartedAgent<Kind extends ContextAgent> {
  readonly running: RunningAgent<Kind>;
  readonly terminal: TerminalPane;
}

/** One with a session in the window's companion. */
export interface ConnectedAgent<Kind extends ContextAgent = Agent> extends StartedAgent<Kind> {
  readonly session: string;
}

let started = 0;

/** Like `startInTerminal`, and waits until the window's companion has its session. */
export async function connectInTerminal<Kind extends ContextAgent>(
  desk: Desk,
  agent: Kind,
  folder?: string,
): Promise<ConnectedAgent<Kind>> {
  const inTerminal = await startInTerminal(desk, agent, folder);
  const { session } = await desk.companion.waitForEvent('session.connected', { agent: agent.kind });
  return { ...inTerminal, session };
}

/**
 * Starts a CLI in a terminal of a desk's window, as a user does: by name, without information about the companion. The
 * CLI ends with the test. `folder`: a subfolder to start in. `flags`: in place of those with which it asks; it has its usual name then.
 */
export async function startInTerminal<Kind extends ContextAgent>(
  desk: Desk,
  agent: Kind,
  folder?: string,
  flags?: readonly string[],
): Promise<StartedAgent<Kind>> {
  const terminal = await desk.window.openTerminal();
  if (folder !== undefined) await terminal.run(`cd '${folder}'`);
  const model = await ScriptedModel.start(agent.dialect);
  const { line, pidFile } = await installCommand(desk, agent, model, flags);
  terminal.willRun(pidFile);
  await terminal.start(line);
  const running = await RunningAgent.waitUntilReady(agent, model, terminal);
  onTestFinished(() => running.dispose());
  return { running, terminal };
}

/**
 * Puts the CLI on the PATH, under a unique name unless it has `flags`, with the scripted model as its account, and returns the line that
 * starts it. Only the account is configured there; the terminal must provide what connects to the editor.
 */
async function installCommand(
  { site: { sandbox }, workspace }: Desk,
  agent: ContextAgent,
  model: ScriptedModel,
  flags?: readonly string[],
): Promise<{ line: string; pidFile: string }> {
  const cwd = await realpath(workspace);
  const launch = { sandbox, cwd, modelUrl: model.url, isIdeModeOn: true };
  await sandbox.once(`prepare ${agent.name} for ${cwd}`, () => agent.prepare(launch));
  started += 1;
  const name = flags === undefined ? `${agent.kind}-${started}` : agent.kind;
  const pidFile = join(sandbox.temporary, `${name}.pid`);
  const variables = Object.entries(agent.environment(launch)).map(
    ([key, value]) => `export ${key}=${quote(value)}\n`,
  );
  const program = agent.executable.map(quote).join(' ');
  await sandbox.write(
    join(sandbox.bin, name),
    `#!/bin/sh\n${variables.join('')}echo $$ >'${pidFile}'\nexec ${program} "$@"\n`,
    0o755,
  );
  return { line: [name, ...(flags ?? agent.approvalFlags)].join(' '), pidFile };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
