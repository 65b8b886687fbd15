import type { ContextAgent } from './agents/agent.js';
import { tandemCommand } from './pinnedPrograms.js';
import type { AgentStart } from './runningAgent.js';
import type { Sandbox } from './sandbox.js';

/** Puts the agent on the PATH under the name that users type. */
export async function installOnPath(agent: ContextAgent, sandbox: Sandbox): Promise<void> {
  const command = agent.executable.map((part) => `'${part}'`).join(' ');
  await sandbox.write(`${sandbox.bin}/${agent.kind}`, `#!/bin/sh\nexec ${command} "$@"\n`, 0o755);
}

/** Starts the agent with `tandem run`. It is on the PATH. */
export function throughTandem(
  agent: ContextAgent,
  flags: readonly string[] = [],
  options: readonly string[] = [],
): AgentStart {
  return {
    mayRelaunch: true,
    commandLine: [process.execPath, tandemCommand, 'run', ...options, agent.kind, ...flags],
    // Gemini CLI reads this switch from its own settings only; for the others `tandem run` sets it.
    isIdeModeOn: agent.kind === 'gemini',
  };
}
