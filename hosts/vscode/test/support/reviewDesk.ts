import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DisposableStore, silentLogger } from '@tandem/core';
import { FakeClock } from '@tandem/testing';
import { onTestFinished } from 'vitest';
import { Companion } from '../../../../packages/companion/src/companion.js';
import { Desk } from '../../src/desk.js';
import { showActiveReview } from '../../src/reviews/activeReviewItems.js';
import { FilesUnderReview } from '../../src/reviews/filesUnderReview.js';
import { followAccepted } from '../../src/reviews/followAccepted.js';
import { FollowedSessions } from '../../src/reviews/followedSessions.js';
import { InterruptedTexts } from '../../src/reviews/interruptedTexts.js';
import { registerReviewCommands } from '../../src/reviews/reviewCommands.js';
import { ReviewThreads } from '../../src/reviews/reviewThreads.js';
import type { ReviewView } from '../../src/reviews/reviewView.js';
import { ReviewViews } from '../../src/reviews/reviewViews.js';
import { showUserEdits } from '../../src/reviews/userEdits.js';
import { readSettings } from '../../src/settings.js';
import { UserFocus } from '../../src/userFocus.js';
import { VscodeEditor } from '../../src/vscodeEditor.js';
import { WorkspacePaths } from '../../src/workspacePaths.js';
import { openFakeWindow } from './fakeVscode/index.js';
// Otherwise the first decision of a test would wait for them.
import '../../src/reviews/closeReviews.js';
import '../../src/reviews/decideSession.js';
import '../../src/reviews/sendFeedback.js';

/** The reviews of the extension in a fake window on a folder with these files, with a companion that no agent can connect to. */
export function openReviewDesk(files: Readonly<Record<string, string | Buffer>> = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reviews-')));
  const path = (name: string): string => join(folder, name);
  for (const [name, content] of Object.entries(files)) writeFileSync(path(name), content);
  const window = openFakeWindow();
  window.openFolder(folder);
  const clock = new FakeClock();
  const owned = new DisposableStore();
  const paths = new WorkspacePaths();
  const focus = owned.add(new UserFocus(clock));
  const openDesk = async (): Promise<Desk> => new Desk(companion, { views, settings: readSettings });
  const views = owned.add(
    new ReviewViews({
      focus,
      toUri: (each) => paths.toUri(each),
      takesFocus: () => readSettings().takesFocus,
      isFollowed: (session) => followed.has(session),
      notKept: () => undefined,
      openDesk,
      isLeft: async (id) => companion.interrupted.get(id) !== undefined,
      keepTyped: (review, content) => companion.interrupted.keepTyped(review, content),
      clock,
      logger: silentLogger,
    }),
  );
  const editor = owned.add(
    new VscodeEditor({ paths, focus, show: (review) => views.show(review), logger: silentLogger }),
  );
  const companion = new Companion({ editor, version: '9.8.7', clock });
  onTestFinished(async () => {
    owned.dispose();
    await companion.stop();
  });
  const memento = { get: () => undefined, update: async () => {}, keys: () => [] };
  const followed = owned.add(new FollowedSessions({ state: memento, logger: silentLogger }));
  const { onDidChange } = companion.interrupted;
  const toUri = (each: string) => paths.toUri(each);
  const interrupted = owned.add(new InterruptedTexts({ host: { companion, onDidChange }, toUri, openDesk }));
  owned.add(
    registerReviewCommands({
      views,
      focus,
      followed,
      interrupted,
      sessions: () => companion.sessions,
      openDesk,
    }),
  );
  owned.add(followAccepted({ views, diagnostics: editor.diagnostics, focus, settings: readSettings }));
  owned.add(showActiveReview(views));
  owned.add(new FilesUnderReview(views));
  owned.add(showUserEdits(views));
  owned.add(new ReviewThreads(views));
  const { reviews, interrupted: kept } = companion;
  const propose = async (name: string, content: string, agent = 'claude'): Promise<ReviewView> => {
    const proposal = { path: path(name), content, agent, session: `session of ${agent}` };
    const review = await reviews.propose(proposal);
    await settle();
    const view = views.all.find((each) => each.review === review);
    if (view === undefined) throw new Error('the review has no view');
    return view;
  };
  const { documents } = editor;
  return { window, clock, views, reviews, documents, folder, path, propose, kept };
}

/** After so many turns of the event loop without such a wait, nothing follows. */
const quietTurns = 8;

/** A pause in which edits are applied and closed tabs are reported. */
export async function pause({ clock }: { readonly clock: FakeClock }): Promise<void> {
  await settle();
  clock.advance(500);
  await settle();
}

/** How many calls of `settle` run. */
let settling = 0;

/**
 * Resolves when everything has run that waits only for the disk or for its next turn: on a busy machine, a text is compared in
 * several turns, and a file read in many.
 */
export async function settle(): Promise<void> {
  settling += 1;
  for (let quiet = 0; quiet < quietTurns; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const waits = process.getActiveResourcesInfo();
    const turns = waits.filter((each) => each === 'Immediate').length;
    const isQuiet = turns < settling && !waits.some((each) => each.startsWith('FSReq'));
    quiet = isQuiet ? quiet + 1 : 0;
  }
  settling -= 1;
}
