import type { Path } from '@tandem/core';
import { connectToSocket, DiscoveryError } from '@tandem/mcp';
import type { SocketProbe } from '../agentDiagnosis.js';
import { Peer } from './peer.js';
import { answererIn, questionOfDoctor } from './wire.js';

/** Asks at the socket for the context of a folder, without becoming a session. Never rejects. */
export async function probeSocket(path: Path, workspaceRoot: Path, limitMs: number): Promise<SocketProbe> {
  try {
    const socket = await connectToSocket(path);
    if (socket === undefined) return { kind: 'silent' };
    const peer = new Peer(socket, () => undefined, 0);
    const answer = await peer.ask(questionOfDoctor(workspaceRoot), limitMs);
    peer.close();
    return answer === undefined ? { kind: 'unresponsive' } : answererIn(answer);
  } catch (error) {
    if (!(error instanceof DiscoveryError)) return { kind: 'unresponsive' };
    return { kind: error.fault === 'path-too-long' ? 'too-long' : 'foreign' };
  }
}
