import type { AgentTerminal } from '../agentTerminal.js';

/** How often to ask anew: a context is on its way for a quarter of a second at most, an answer takes longer. */
const ATTEMPTS = 4;

/**
 * Asks Gemini CLI or Qwen Code with `/ide status` until it names the file as the active one, or no longer does.
 * Qwen shows the context nowhere else.
 */
export async function waitForIdeStatus(
  terminal: AgentTerminal,
  name: string,
  isActive: boolean,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const before = answersOn(terminal.screen()).length;
    await terminal.submit('/ide status');
    await terminal.waitFor(function isAnswered(screen) {
      return answersOn(screen).length > before;
    });
    await terminal.waitUntilQuiet('the list of files follows its heading');
    const answer = answersOn(terminal.screen()).at(-1) ?? '';
    if (answer.includes(`- ${name} (active)`) === isActive) return;
  }
  const state = isActive ? 'names' : 'no longer names';
  throw new Error(`/ide status never ${state} ${name} as the active file:\n${terminal.screen()}`);
}

/** The answers on the screen, each from its first line to the next answer. */
function answersOn(screen: string): string[] {
  return screen.split(/(?=Connected to |Disconnected)/).slice(1);
}
