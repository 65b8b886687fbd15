import { type CompanionChoice, calling, chooseCompanion } from '../connectCompanion.js';
import { print } from '../output.js';

/** `tandem stop`: ends the companion of this folder, and resolves when it is gone. */
export async function stop(options: CompanionChoice): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  // Its stream of events ends when it does.
  let announceOpen = (): void => {};
  const opened = new Promise<void>((resolve) => {
    announceOpen = resolve;
  });
  const gone = companion.client.follow(() => {}, { signal: new AbortController().signal, onOpen: () => announceOpen() });
  await Promise.race([opened, gone]);
  await calling(companion.client, (client) => client.call('stop', {}));
  await gone;
  print(`Stopped the companion of ${companion.workspaceFolders.join(', ')} (process ${companion.pid}).`);
}
