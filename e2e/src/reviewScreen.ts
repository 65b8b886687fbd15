import { onTestFinished } from 'vitest';
import { CliTerminal, type TerminalSize } from './cliTerminal.js';
import { tandemCommand } from './pinnedPrograms.js';
import type { Stage } from './stage.js';

/** `tandem review` in a terminal of its own, which ends with the test. */
export async function openReviewScreen(
  stage: Stage,
  {
    size = { cols: 120, rows: 40 },
    env = {},
    args = [],
  }: { size?: TerminalSize; env?: Readonly<Record<string, string>>; args?: readonly string[] } = {},
): Promise<CliTerminal> {
  const terminal = CliTerminal.spawn('tandem review', {
    file: process.execPath,
    args: [tandemCommand, 'review', ...args],
    cwd: stage.workspace,
    env: { ...stage.sandbox.environment(), COLORTERM: 'truecolor', TERM: 'xterm-256color', ...env },
    size,
  });
  onTestFinished(() => terminal.kill());
  await terminal.waitFor(args.includes('--plain') ? 'q: quit' : 'q Quit');
  return terminal;
}
