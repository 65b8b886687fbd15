import { awakeLimit } from '@tandem/companion/control';
import { visibleName } from '@tandem/core';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { CommandError } from '../exitCode.js';
import { print } from '../output.js';

const stopLimitMs = 10_000;

/** `tandem stop`: stops the companion of this folder. Resolves when it has ended. */
export async function stop(options: CompanionChoice): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const limit = awakeLimit(stopLimitMs);
  let onOpen = (): void => {};
  const opened = new Promise<void>((resolve) => {
    onOpen = resolve;
  });
  // Its event stream ends, or breaks, when it ends.
  const gone = companion.client
    .followEvents(() => {}, { signal: limit.signal, onOpen: () => onOpen() })
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
