import { awakeLimit } from '@tandem/companion/control';
import { visibleName } from '@tandem/core';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { CommandError } from '../exitCode.js';
import { print } from '../output.js';

/** Stopping never waits for agents, so that this is far more than it takes. */
const stopLimitMs = 10_000;

/** `tandem stop`: ends the companion of this folder, and resolves when it is gone. */
export async function stop(options: CompanionChoice): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const limit = awakeLimit(stopLimitMs);
  let announceOpen = (): void => {};
  const opened = new Promise<void>((resolve) => {
    announceOpen = resolve;
  });
  // Its stream of events ends when it does. A connection that breaks says the same.
  const gone = companion.client
    .followEvents(() => {}, { signal: limit.signal, onOpen: () => announceOpen() })
    .catch(() => undefined);
  await Promise.race([opened, gone]);
  await ask(companion, 'stop', {});
  await gone;
  limit.dispose();
  if (limit.signal.aborted) {
    throw new CommandError(
      `The companion (process ${companion.pid}) did not stop within ${stopLimitMs / 1000} s. End it with: kill ${companion.pid}`,
    );
  }
  const folders = companion.workspaceFolders.map(visibleName).join(', ');
  print(`Stopped the companion of ${folders} (process ${companion.pid}).`);
}
