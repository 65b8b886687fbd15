import { type AgentId, hookVariables } from '@tandem/companion/agents';
import { findCompanions } from '@tandem/companion/control';
import { readInput } from '../readContent.js';
import { permissionHookOf } from './hook.js';

/** How long the agent may take to write its question, in milliseconds. */
const inputLimitMs = 10_000;

/**
 * `tandem hook run`: an agent starts it with each permission question. Prints a rejection if the user rejects that very edit with
 * feedback. In any other case, also after an error, prints nothing, so that the agent continues as without it. Ends the process.
 */
export async function runHook(agent: AgentId, pid: number): Promise<never> {
  // The hook of `tandem run` answers instead.
  if (process.env[hookVariables.agent] === agent) process.exit();
  try {
    const { denial } = permissionHookOf(agent);
    const limit = setTimeout(() => process.exit(), inputLimitMs);
    const request: unknown = JSON.parse(await readInput());
    clearTimeout(limit);
    const companions = await findCompanions();
    // The agent is connected to one of them; the others answer at once.
    const answers = companions.map(async ({ client }) => {
      const { text } = await client.call('hook.wait', { agent, pid, request });
      return text ?? Promise.reject(new Error('no text'));
    });
    const output = JSON.stringify(denial(await Promise.any(answers)));
    await new Promise((resolve) => process.stdout.write(output, resolve));
  } catch {
    // The agent shows its own question.
  }
  process.exit();
}
