import type { PromptScreen } from '../agentProtocol.js';

/** The empty prompt of Gemini CLI 0.61 and of Qwen Code 0.15 and 0.24. In shell mode the sign before it is `!`. */
const emptyPrompt = /^\s*>\s+Type your message or @path\/to\/file\s*$/;
/** The prompt is at the end of the screen; above it, a model could print anything. */
const bottomRows = 8;
/** What both show instead of a long text. */
const collapsed = /\[Pasted (Text|Content)[: ]/;

/** The screen of Gemini CLI or of its fork. `idle` matches the title that it sets while it neither works nor asks. */
export function promptScreen(idle: RegExp): PromptScreen {
  return {
    isReady(screen, title) {
      const rows = rowsOf(screen);
      const prompts = rows.filter((row) => emptyPrompt.test(row));
      return (
        idle.test(title) &&
        prompts.length === 1 &&
        rows.slice(-bottomRows).some((row) => emptyPrompt.test(row))
      );
    },
    shows(screen, text) {
      const [first = ''] = text.split('\n');
      const shown = rowsOf(screen).join('').replace(/\s/g, '');
      const isShown = collapsed.test(screen) || shown.includes(first.replace(/\s/g, ''));
      return isShown && !rowsOf(screen).some((row) => emptyPrompt.test(row));
    },
  };
}

function rowsOf(screen: string): string[] {
  return screen.split('\n').filter((row) => row.trim() !== '');
}
