import type { Companion } from '@tandem/companion';
import type { CompanionEvent } from '@tandem/companion/control';
import { type Disposable, DisposableStore, TouchDelay, visibleName } from '@tandem/core';
import {
  commandName,
  paint,
  print,
  printError,
  printJson,
  redrawStatusLine,
  showStatusLine,
} from './output.js';
import type { ServedPage } from './page/servedPage.js';
import { shortPath } from './reviewText.js';
import { lostLine, returnedLine, summaryLine, timeOf } from './statusText.js';

/** What `tandem serve` writes while it runs. */
export interface ServeView extends Disposable {
  report(event: CompanionEvent): void;
}

const jsonEvents: readonly CompanionEvent['event'][] = [
  'session.connected',
  'session.closed',
  'session.lost',
  'session.returned',
  'review.opened',
  'review.decided',
];

/**
 * The output of `tandem serve --json`: one JSON object per line, first how each agent connects, then events of sessions and
 * reviews. Nothing else may be written to standard output.
 */
export async function startJsonView(companion: Companion, page: ServedPage): Promise<ServeView> {
  const [url, pageProblem] = [page.address(), page.problem()];
  if (pageProblem !== undefined) printError(`warning: ${pageProblem}`);
  for (const { discovery } of (await companion.status()).agents) {
    for (const { problem } of discovery) if (problem !== undefined) printError(`warning: ${problem}`);
  }
  const agents = companion.agents
    .connections()
    .map(({ id, url, token, discovery, env }) => [id, { url, token, discovery, env }] as const);
  printJson({
    event: 'ready',
    pid: process.pid,
    workspaceFolders: companion.editor.workspace.folders(),
    agents: Object.fromEntries(agents),
    ...(url !== undefined && { page: { url } }),
  });
  return {
    report(event) {
      if (jsonEvents.includes(event.event)) printJson(event);
    },
    dispose() {},
  };
}

/** How often the status line is updated without an event: it shows the age of agents' last messages. */
const tickMs = 30_000;

/** The output of `tandem serve` for users: a line for each event and, on a terminal, a status line. */
export function showLiveStatus(companion: Companion): ServeView {
  const store = new DisposableStore();
  const delay = store.add(
    new TouchDelay(
      async () => {
        // Not the whole status, which compares the texts of pending reviews and would delay agents.
        const sharing = await companion.sharing.status();
        const status = { agents: companion.agents.status(), reviews: companion.reviews.pending, sharing };
        if (store.isDisposed) return;
        showStatusLine(summaryLine(status, process.cwd(), (process.stdout.columns || 80) - 1));
      },
      { quietMs: 0 },
    ),
  );
  const update = (): void => void (process.stdout.isTTY && delay.touch());
  const onResize = (): void => {
    redrawStatusLine();
    update();
  };
  store.add(companion.feed.onDidChange(update));
  store.add(companion.reviews.onDidChange(update));
  process.stdout.on('resize', onResize);
  const tick = setInterval(update, tickMs).unref();
  update();
  return {
    report(event) {
      print(`${paint('dim', timeOf(Date.now()))}  ${eventLine(event, companion)}`);
      update();
    },
    dispose() {
      clearInterval(tick);
      process.stdout.off('resize', onResize);
      store.dispose();
      showStatusLine('');
      print('Stopped. Discovery files are removed.');
    },
  };
}

/** One line for one event. */
function eventLine(event: CompanionEvent, companion: Companion): string {
  switch (event.event) {
    case 'session.connected':
    case 'session.closed': {
      const isConnected = event.event === 'session.connected';
      const what = isConnected ? paint('green', 'connected   ') : paint('dim', 'disconnected');
      return `${what}  ${event.agent}  ${visibleName(`${event.client.name} ${event.client.version}`)}`;
    }
    case 'session.lost':
      return `${paint('yellow', 'lost        ')}  ${event.agent}  ${lostLine(event)}`;
    case 'session.returned':
      return `${paint('green', 'reconnected ')}  ${event.agent}  ${returnedLine(event)}`;
    case 'review.opened': {
      const what = paint('bold', `review ${event.id}`.padEnd(12));
      const show = paint('cyan', `${commandName} review show ${event.id}`);
      return `${what}  ${event.agent}  ${shortPath(event.path, process.cwd())}  ${show}`;
    }
    case 'review.decided': {
      const review = companion.reviews.get(event.id);
      // A companion that stops reports itself where it put the text.
      const isKept =
        review?.isEdited && review.outcome?.kind === 'withdrawn' && review.outcome.reason !== 'stopped';
      const kept = isKept ? `  your text is kept: ${commandName} review show ${event.id} --content` : '';
      return `${`review ${event.id}`.padEnd(12)}  ${event.outcome}${kept}`;
    }
    case 'sharing.paused':
      return 'sharing is paused';
    case 'sharing.resumed':
      return 'sharing is resumed';
  }
}
