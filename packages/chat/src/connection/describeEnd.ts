import { DaemonError } from './daemonError.js';
import type { StreamEnd } from './eventPump.js';

/** Why a session's stream is over, for the user. */
export function describeEnd({ reason, error, isClosed = false }: StreamEnd): DaemonError {
  if (error !== undefined) return error;
  if (isClosed) {
    return new DaemonError('session_ended', 'The session was closed. Open another one or begin a new chat.');
  }
  switch (reason) {
    case 'daemon_shutdown':
      return new DaemonError('daemon_stopped', 'The daemon was stopped. Start it again, then connect.');
    case 'channel_closed': {
      const message = "The session's agent process ended. Open the session again to continue.";
      return new DaemonError('session_ended', message);
    }
    case 'daemon_error':
      return new DaemonError('session_not_found', 'The daemon does not keep this session. Begin a new chat.');
    case 'stream_ended': {
      const message =
        'The daemon keeps closing the connection. A running turn continues there: connect again.';
      return new DaemonError('unreachable', message);
    }
    default:
      return new DaemonError('session_ended', `The session ended: ${reason}.`);
  }
}
