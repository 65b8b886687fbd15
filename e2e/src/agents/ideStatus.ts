import type { AgentTerminal } from '../agentTerminal.js';

/** How often to ask again: a context is on its way for a quarter of a second at most, an answer takes longer. */
const ATTEMPTS = 4;

const QUESTION = '/ide status';

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
    await terminal.submit(QUESTION);
    await terminal.waitFor(function isAnswered(screen) {
      return /Connected to |Disconnected/.test(answerOn(screen));
    });
    await terminal.waitUntilQuiet('the list of files follows its heading');
    if (answerOn(terminal.screen()).includes(`- ${name} (active)`) === isActive) return;
  }
  const state = isActive ? 'names' : 'no longer names';
  throw new Error(`/ide status never ${state} ${name} as the active file:\n${terminal.screen()}`);
}

/** What follows the last question on the screen; earlier ones and their answers may still stand above it. */
function answerOn(screen: string): string {
  return screen.slice(screen.lastIndexOf(QUESTION));
}
