import { inTime, systemClock, type Terminals } from '@tandem/core';
import * as vscode from 'vscode';

/** The process of a terminal that is still starting is not known yet. */
const processLimitMs = 1_000;

/** Types text into a terminal of this window. */
export const insertIntoTerminal: Terminals['insert'] = async (pids, text) => {
  const open = vscode.window.terminals.filter(({ exitStatus }) => exitStatus === undefined);
  const known = await Promise.all(open.map((terminal) => processOf(terminal)));
  const found = open.filter((_, at) => pids.includes(known[at] ?? 0));
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return false;
  // The second argument: no Enter.
  only.sendText(text, false);
  only.show();
  return true;
};

async function processOf({ processId }: vscode.Terminal): Promise<number | undefined> {
  return inTime(systemClock, processLimitMs, Promise.resolve(processId), 'The terminal').catch(
    () => undefined,
  );
}
