import { HttpClient } from '../httpClient.js';
import { format } from '../measure.js';
import type { Scratch } from '../scratch.js';
import { ServerProcess } from '../serverProcess.js';
import type { CompanionReady } from '../servers/companion.js';
import type { MemoryUse } from '../servers/measureMemory.js';
import { WebSocketClient } from '../webSocketClient.js';

const sessions = 200;

/** The memory of an idle session: what 200 sessions add, divided by 200. */
export async function benchMemory(scratch: Scratch): Promise<void> {
  console.log(
    `\nmemory of an idle session, average of ${sessions} (heap and buffers; resident set in brackets)`,
  );
  await measure('Streamable HTTP, with its stream', scratch, async ({ agents }) => {
    const { url, token } = agents.gemini ?? { url: '', token: '' };
    return HttpClient.connect({ port: Number(new URL(url).port), token });
  });
  await measure('WebSocket', scratch, async ({ agents }) => {
    const { url, token } = agents.claude ?? { url: '', token: '' };
    const client = await WebSocketClient.connect(Number(new URL(url).port), token);
    await client.initialize();
    await client.ask('tools/list', {});
    return client;
  });
}

async function measure(
  name: string,
  scratch: Scratch,
  connect: (ready: CompanionReady) => Promise<{ close(): void }>,
): Promise<void> {
  const companion = await ServerProcess.start<CompanionReady>('companion', scratch);
  // The first session allocates what all share.
  const clients = [await connect(companion.ready)];
  const before = await companion.ask<MemoryUse>('memory');
  while (clients.length <= sessions) clients.push(await connect(companion.ready));
  const after = await companion.ask<MemoryUse>('memory');
  for (const client of clients) client.close();
  await companion.stop();
  const each = (field: keyof MemoryUse): string => format((after[field] - before[field]) / sessions / 1024);
  console.log(
    `  ${name.padEnd(44)} ${each('heap').padStart(8)} KiB [${each('resident')} KiB]  aim: under 1024`,
  );
}
