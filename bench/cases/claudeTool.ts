import { compare, describe, takeTurns, timed } from '../measure.js';
import type { Scratch } from '../scratch.js';
import { ServerProcess } from '../serverProcess.js';
import type { CompanionReady } from '../servers/companion.js';
import type { WebSocketEchoReady } from '../servers/webSocketEcho.js';
import { WebSocketClient } from '../webSocketClient.js';

/**
 * One round trip of a tool that answers immediately, compared with a socket that returns an answer of the same size.
 */
export async function benchClaudeTool(scratch: Scratch): Promise<void> {
  const companion = await ServerProcess.start<CompanionReady>('companion', scratch);
  const floor = await ServerProcess.start<WebSocketEchoReady>('webSocketEcho', scratch);
  const { url, token } = companion.ready.agents.claude ?? { url: '', token: '' };
  const ours = await WebSocketClient.connect(Number(new URL(url).port), token);
  await ours.initialize();
  const bare = await WebSocketClient.connect(floor.ready.port);

  const call = { name: 'getWorkspaceFolders', arguments: {} };
  const answer = await ours.ask('tools/call', call);
  const name = 'getWorkspaceFolders over WebSocket';
  const samples = await takeTurns(
    {
      [name]: () => timed(() => ours.ask('tools/call', call)),
      'ws echo of the same size': () => timed(() => bare.exchange(answer)),
    },
    { rounds: 2_000, warmUp: 500 },
  );
  const [tool, echo] = Object.values(samples);
  ours.close();
  bare.close();
  await Promise.all([companion.stop(), floor.stop()]);
  if (tool === undefined || echo === undefined) return;
  console.log('\nround trip of a tool of Claude Code');
  console.log(describe(tool));
  console.log(describe(echo));
  console.log(compare(tool, echo, 1.5));
}
