import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpClient } from '../httpClient.js';
import { compare, describe, takeTurns, timed } from '../measure.js';
import type { Scratch } from '../scratch.js';
import { ServerProcess } from '../serverProcess.js';
import type { CompanionReady } from '../servers/companion.js';
import type { SdkToolReady } from '../servers/sdkTool.js';
import type { WebSocketEchoReady } from '../servers/webSocketEcho.js';
import { changeText, makeText } from '../texts.js';
import { WebSocketClient } from '../webSocketClient.js';

/**
 * From the request of `openDiff` to its acknowledgement: the companion reads the file, computes the changes and opens a
 * review. Compared with a tool on the same SDK that only answers, one that returns the content, and a WebSocket that
 * returns the content.
 */
export async function benchOpenDiff(scratch: Scratch): Promise<void> {
  const companion = await ServerProcess.start<CompanionReady>('companion', scratch);
  const floor = await ServerProcess.start<SdkToolReady>('sdkTool', scratch);
  const echoServer = await ServerProcess.start<WebSocketEchoReady>('webSocketEcho', scratch);
  const { url, token } = companion.ready.agents.gemini ?? { url: '', token: '' };
  const ours = await HttpClient.connect({ port: Number(new URL(url).port), token });
  const bare = await HttpClient.connect({ port: floor.ready.port, token: '' });
  const socket = await WebSocketClient.connect(echoServer.ready.port);

  for (const [label, bytes, rounds] of [
    ['3.6 KB', 3_600, 300],
    ['1 MB', 1_000_000, 40],
    ['10 MB', 10_000_000, 6],
  ] as const) {
    const filePath = join(scratch.workspace, `${bytes}.ts`);
    const original = makeText(bytes);
    writeFileSync(filePath, original);
    let turn = 0;
    const nextProposal = (): { filePath: string; newContent: string } => {
      turn += 1;
      return { filePath, newContent: changeText(original, turn) };
    };
    const propose = async (client: HttpClient, tool: string): Promise<number> => {
      const proposal = nextProposal();
      return timed(() => client.callTool(tool, proposal));
    };
    const samples = await takeTurns(
      {
        [`openDiff ${label}`]: async () => {
          const taken = await propose(ours, 'openDiff');
          await ours.callTool('closeDiff', { filePath, suppressNotification: true });
          return taken;
        },
        'a tool that only answers': () => propose(bare, 'answer'),
        'a tool that echoes': () => propose(bare, 'echo'),
        'a bare ws echo': async () => {
          const text = JSON.stringify(nextProposal());
          return timed(() => socket.exchange(text));
        },
      },
      { rounds, warmUp: Math.ceil(rounds / 5) },
    );
    const [diff, answer, ...echoes] = Object.values(samples);
    if (diff === undefined || answer === undefined) continue;
    console.log(`\nopenDiff to acknowledgement, ${label}`);
    for (const each of [diff, answer, ...echoes]) console.log(describe(each));
    console.log(compare(diff, answer, 1.5));
    for (const echo of echoes) console.log(compare(diff, echo));
  }
  ours.close();
  bare.close();
  socket.close();
  await Promise.all([companion.stop(), floor.stop(), echoServer.stop()]);
}
