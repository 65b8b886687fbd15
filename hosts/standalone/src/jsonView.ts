import type { Companion } from '@tandem/companion';
import type { CompanionEvent } from '@tandem/companion/control';
import { printError, printJson } from './output.js';
import type { ServedPage } from './page/servedPage.js';
import type { ServeView } from './serveView.js';

/** What programs rely on; the rest is for `tandem status`. */
const toldEvents: readonly CompanionEvent['event'][] = [
  'session.connected',
  'session.closed',
  'session.lost',
  'session.returned',
  'review.opened',
  'review.decided',
];

/**
 * The output of `tandem serve --json`: one JSON object a line, first how each agent connects, then what happens to
 * sessions and reviews. Nothing else may land on standard output.
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
    tell(event) {
      if (toldEvents.includes(event.event)) printJson(event);
    },
    dispose() {},
  };
}
