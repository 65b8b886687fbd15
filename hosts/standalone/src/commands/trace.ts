import { z } from 'zod';
import { type CompanionChoice, calling, chooseCompanion } from '../connectCompanion.js';
import { print } from '../output.js';
import { abortOnSignals } from '../signals.js';

/** `tandem trace`: the recorder's last lines, and with `--follow` each new one until Ctrl+C. */
export async function trace(options: CompanionChoice & { readonly follow?: boolean }): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  if (!options.follow) {
    for (const line of await recent(companion.client)) print(line);
    return;
  }
  // What comes between the past and the following must be neither lost nor told twice.
  const early: string[] = [];
  let tell = (line: string): void => void early.push(line);
  const { signal, dispose } = abortOnSignals();
  let announceOpen = (): void => {};
  const opened = new Promise<void>((resolve) => {
    announceOpen = resolve;
  });
  const ended = companion.client
    .follow((event) => event.event === 'trace' && tell(event.line), { signal, onOpen: () => announceOpen() })
    .finally(dispose);
  await Promise.race([opened, ended]);
  const past = await recent(companion.client);
  for (const line of past) print(line);
  for (const line of early.filter((each) => !past.includes(each))) print(line);
  tell = print;
  await ended;
}

async function recent(client: Parameters<typeof calling>[0]): Promise<string[]> {
  return z.array(z.string()).parse(await calling(client, (each) => each.call('trace', {})));
}
