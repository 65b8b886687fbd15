import type { DaemonApi } from '../connection/daemonApi.js';
import type { SessionClient } from '../connection/sessionClient.js';
import type { ChatItem } from '../model/chatModel.js';

/**
 * Takes a session back to before one of its messages. The daemon names its turns otherwise than its events name the
 * prompts, and it counts no message that failed or was a command: so a turn is the message's only where it began between
 * that message and the next one, and has its number. False where none is, and nothing has happened then. Files that were
 * changed since stay as they are. Throws what the daemon answers.
 */
export async function rewindBefore(
  api: DaemonApi,
  { sessionId, clientId }: Pick<SessionClient, 'sessionId' | 'clientId'>,
  items: readonly ChatItem[],
  promptId: string,
): Promise<boolean> {
  const messages = items.filter(({ kind }) => kind === 'user');
  const number = messages.findIndex((message) => message.promptId === promptId);
  const from = messages[number]?.at;
  if (from === undefined) return false;
  const to = messages[number + 1]?.at ?? Number.POSITIVE_INFINITY;
  const turns = (await api.rewindTurns(sessionId)).filter(({ at }) => at >= from && at < to);
  const [turn] = turns;
  if (turn === undefined || turns.length > 1 || turn.index !== number) return false;
  await api.rewind(sessionId, turn.id, clientId);
  return true;
}
