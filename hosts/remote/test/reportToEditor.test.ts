import { silentLogger, toDisposable } from '@tandem/core';
import { FakeClock } from '@tandem/testing';
import { expect, it } from 'vitest';
import { reconnectLimitMs } from '../../../packages/companion/src/agents/servedAgents.js';
import { CompanionStage } from '../../../packages/companion/test/support/companionStage.js';
import { Connection } from '../src/connection.js';
import { tandemNotifications } from '../src/protocol.js';
import { reportToEditor } from '../src/reportToEditor.js';
import { pipes } from './support/scriptedPeer.js';

it('notifies the editor of agents that did not reconnect after a restart [EDT-11]', async () => {
  const first = await CompanionStage.create({ agents: ['claude'] });
  const agent = await first.connect('claude');
  const before = first.companion.save();
  await first.companion.stop();
  agent.socket.terminate();
  const clock = new FakeClock();
  const second = await CompanionStage.create({ agents: ['claude'], before, machine: first.machine, clock });
  const { ours, theirs } = pipes();
  const options = { logger: silentLogger, framing: 'lines' } as const;
  const connection = new Connection({ ...ours, ...options, serve: async () => ({ result: null }) });
  connection.release();
  const shown = new Promise<unknown>((resolve) => {
    const peer = new Connection({
      ...theirs,
      ...options,
      async serve(method, params) {
        if (method === 'message') resolve(tandemNotifications.message.parse(params));
        return { result: null };
      },
    });
    peer.release();
  });
  const reports = reportToEditor({
    companion: second.companion,
    editor: { refreshReviews: () => {} },
    connection,
    watchFile: () => toDisposable(() => {}),
    logger: silentLogger,
  });
  clock.advance(reconnectLimitMs);
  expect(await shown).toEqual({
    type: 'warning',
    message: 'Claude Code has not reconnected since the restart. If it is still running, type /ide in it.',
  });
  reports.dispose();
  connection.dispose();
  await second.companion.stop();
});
