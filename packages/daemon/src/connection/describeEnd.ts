import type { ChatProblem } from '../chat/chatModel.js';
import type { StreamEnd } from './eventPump.js';

/** Why a session's stream is over, for a person. */
export function describeEnd({ reason, error, isClosed = false }: StreamEnd): ChatProblem {
  if (error !== undefined) return { kind: error.kind, message: error.message };
  if (reason === 'daemon_shutdown') {
    return { kind: 'daemon_stopped', message: 'The daemon was stopped. Start it again, then connect.' };
  }
  if (isClosed) {
    return {
      kind: 'session_ended',
      message: 'The session was closed. Open another one or begin a new chat.',
    };
  }
  if (reason === 'channel_closed') {
    const message = "The session's agent process ended. Open the session again to go on.";
    return { kind: 'session_ended', message };
  }
  if (reason === 'daemon_error') {
    return { kind: 'session_not_found', message: 'The daemon does not keep this session. Begin a new chat.' };
  }
  if (reason === 'stream_ended') {
    const message =
      'The daemon ends the connection each time. What it works on goes on there; connect again to see it.';
    return { kind: 'unreachable', message };
  }
  return { kind: 'session_ended', message: `The session ended: ${reason}.` };
}
