import type { AgentTerminal } from '../agentTerminal.js';

/** How often to repeat the question: a context update takes at most a quarter of a second, an answer takes longer. */
const ATTEMPTS = 4;

const QUESTION = '/ide status';

/**
 * Asks Gemini CLI or Qwen Code with `/ide status` until it names the file as active, or no longer does. Qwen Code shows
 * the context nowhere else.
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

/** The text after the last question on the screen; earlier questions and answers may still be above it. */
function answerOn(screen: string): string {
  return screen.slice(screen.lastIndexOf(QUESTION));
}
