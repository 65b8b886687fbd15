import type { Companion } from '@tandem/companion';
import { nameOfAgent } from '@tandem/companion/agents';
import { type Disposable, DisposableStore, describeError, type Logger, type Path } from '@tandem/core';
import type { Review } from '@tandem/reviews';
import type { Connection } from './connection.js';
import type { tandemNotifications } from './protocol.js';
import { realPathOf } from './realPath.js';
import type { RemoteEditor } from './remoteEditor.js';

/** Changes within this time are one message. */
const pauseMs = 30;
/** An agent writes a file within this time after its review has ended. */
const writtenWithinMs = 10_000;
/** Writing a file in several steps usually takes less. */
const quietMs = 40;

type Status = (typeof tandemNotifications)['status/changed']['_output'];

/** Reports to the editor what happens in its companion, until it is disposed. */
export function reportToEditor(of: {
  readonly companion: Companion;
  readonly editor: Pick<RemoteEditor, 'refreshReviews'>;
  readonly connection: Connection;
  readonly watchFile: (path: Path, onTouched: () => void) => Disposable;
  readonly logger: Logger;
}): Disposable {
  const { companion, editor, connection } = of;
  const { reviews, interrupted, sessions, journal, policy, feed, onEvent } = companion;
  const owned = new DisposableStore();
  const report = (method: string, describe: () => Promise<object> | object): (() => void) => {
    let timer: NodeJS.Timeout | undefined;
    let sent = '';
    owned.add({ dispose: () => clearTimeout(timer) });
    const send = async (): Promise<void> => {
      timer = undefined;
      try {
        const params = await describe();
        const json = JSON.stringify(params);
        if (json === sent || owned.isDisposed) return;
        sent = json;
        connection.notify(method, params);
      } catch (error) {
        of.logger.warn('the editor does not learn a change', { method, error: describeError(error) });
      }
    };
    return () => {
      timer ??= setTimeout(() => void send(), pauseMs);
    };
  };
  const touchStatus = report('status/changed', () => statusOf(companion));
  const touchSessions = report('session/changed', () => ({ sessions: sessions.list() }));
  let version = 0;
  const touchChanges = report('changes/changed', () => ({
    version: ++version,
    paths: [...new Set([...companion.changes.waitingPaths()].map(realPathOf))],
  }));
  owned.add(companion.history.onDidChange(touchChanges));
  for (const event of [reviews.onDidOpen, reviews.onDidDecide]) owned.add(event(touchStatus));
  for (const event of [interrupted.onDidChange, policy.onDidChange]) owned.add(event(touchStatus));
  owned.add(feed.onDidChange(touchStatus));
  owned.add(sessions.onDidChange(touchSessions));
  owned.add(journal.onDidChange(() => editor.refreshReviews()));
  owned.add(
    onEvent((event) => {
      if (event.event.startsWith('session.')) touchStatus();
      if (event.event !== 'session.lost') return;
      const { displayName, count, connect } = event;
      const [who, where] =
        count === 1
          ? [`${displayName} has`, `If it is still running, type ${connect} in it.`]
          : [
              `${count} sessions of ${displayName} have`,
              `If they are still running, type ${connect} in each.`,
            ];
      connection.notify('message', {
        type: 'warning',
        message: `${who} not reconnected since the restart. ${where}`,
      });
    }),
  );
  const writings = new Set<Disposable>();
  owned.add({
    dispose() {
      for (const each of writings) each.dispose();
    },
  });
  owned.add(
    reviews.onDidDecide((review) => {
      const writing = reportWriting(review, of);
      writings.add(writing);
      writing.add({ dispose: () => writings.delete(writing) });
    }),
  );
  touchStatus();
  touchSessions();
  if (companion.changes.waitingPaths().size > 0) touchChanges();
  return owned;
}

/** The agent writes the file after an acceptance, also after one in its own terminal, which withdraws the review. */
function reportWriting(
  { proposal, realPath, state }: Review,
  { connection, watchFile }: Pick<Parameters<typeof reportToEditor>[0], 'connection' | 'watchFile'>,
): DisposableStore {
  const watching = new DisposableStore();
  if (state === 'rejected') return watching;
  let quiet: NodeJS.Timeout | undefined;
  const limit = setTimeout(() => watching.dispose(), writtenWithinMs);
  watching.add({
    dispose() {
      clearTimeout(quiet);
      clearTimeout(limit);
    },
  });
  const touched = (): void => {
    clearTimeout(quiet);
    quiet = setTimeout(() => connection.notify('file/written', { path: realPathOf(proposal.path) }), quietMs);
  };
  // An agent may write the file to which a link leads, or replace the link.
  for (const path of new Set([realPath, proposal.path])) watching.add(watchFile(path, touched));
  return watching;
}

async function statusOf({ sharing, agents, reviews, interrupted }: Companion): Promise<Status> {
  const counts = new Map<string, number>();
  for (const { agent } of agents.sessions) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  return {
    ...(await sharing.status()),
    agents: [...counts].map(([id, count]) => ({ id, displayName: nameOfAgent(id), sessions: count })),
    pending: reviews.pending.length,
    interrupted: interrupted.all.length,
  };
}
