import { createConnection } from 'node:net';
import type { Path } from '@tandem/core';
import { isOwn, statOf } from '@tandem/mcp';
import * as z from 'zod';
import type { SocketProbe } from '../agentDiagnosis.js';
import { Peer } from './peer.js';
import { probeClient } from './wire.js';

const answered = z.object({ result: z.object({ ideContext: z.object({ pid: z.int().optional() }) }) });

/** Asks at the socket for the context of a folder, without becoming a session. Never rejects. */
export function probeSocket(path: Path, workspaceRoot: Path, limitMs: number): Promise<SocketProbe> {
  const stats = statOf(path);
  if (stats !== undefined && !(stats.isSocket() && isOwn(stats))) return Promise.resolve({ kind: 'foreign' });
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve({ kind: 'absent' });
      else if (error.code === 'ECONNREFUSED') resolve({ kind: 'stale' });
      else resolve({ kind: 'unresponsive' });
    });
    socket.once('connect', async () => {
      const peer = new Peer(socket, { isRouter: true, message: () => undefined, closed: () => {} });
      const answer = await peer.ask(
        {
          type: 'request',
          sourceClientId: probeClient,
          version: 0,
          method: 'ide-context',
          params: { workspaceRoot },
        },
        limitMs,
      );
      peer.close();
      if (answer === undefined) return resolve({ kind: 'unresponsive' });
      const context = answered.safeParse(answer).data?.result.ideContext;
      if (context === undefined) return resolve({ kind: 'unanswered' });
      resolve(context.pid === undefined ? { kind: 'other' } : { kind: 'tandem', pid: context.pid });
    });
  });
}
