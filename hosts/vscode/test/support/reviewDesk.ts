import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nameOfAgent } from '@tandem/companion/agents';
import { type Disposable, DisposableStore, labelIn, silentLogger } from '@tandem/core';
import {
  acceptReview,
  CommentError,
  decideAll,
  type FileContent,
  type Review,
  Reviews,
} from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import { onTestFinished } from 'vitest';
import { createDocuments } from '../../src/documents.js';
import { EditorDiagnostics } from '../../src/editorDiagnostics.js';
import { showActiveReview } from '../../src/reviews/activeReviewItems.js';
import { FilesUnderReview } from '../../src/reviews/filesUnderReview.js';
import { followAccepted } from '../../src/reviews/followAccepted.js';
import { FollowedSessions } from '../../src/reviews/followedSessions.js';
import type { InterruptedText } from '../../src/reviews/interruptedText.js';
import type { SessionModel } from '../../src/reviews/pendingSessions.js';
import { registerReviewCommands } from '../../src/reviews/reviewCommands.js';
import { ReviewThreads } from '../../src/reviews/reviewThreads.js';
import type { ReviewView } from '../../src/reviews/reviewView.js';
import { ReviewViews } from '../../src/reviews/reviewViews.js';
import type { FeedbackModel } from '../../src/reviews/sendFeedback.js';
import { showUserEdits } from '../../src/reviews/userEdits.js';
import { readSettings } from '../../src/settings.js';
import { loadedDocument } from '../../src/tabs.js';
import { UserFocus } from '../../src/userFocus.js';
import { WorkspacePaths } from '../../src/workspacePaths.js';
import { openFakeWindow } from './fakeVscode/index.js';

/** The reviews of the extension in a fake window on a folder with these files. */
export function openReviewDesk(files: Readonly<Record<string, string | Buffer>> = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reviews-')));
  const path = (name: string): string => join(folder, name);
  for (const [name, content] of Object.entries(files)) writeFileSync(path(name), content);
  const window = openFakeWindow();
  window.openFolder(folder);
  const clock = new FakeClock();
  const owned = new DisposableStore();
  onTestFinished(() => owned.dispose());
  const paths = new WorkspacePaths();
  const left: InterruptedText[] = [];
  const typedLate: string[] = [];
  const focus = owned.add(new UserFocus(clock));
  const views = owned.add(
    new ReviewViews({
      focus,
      toUri: (each) => paths.toUri(each),
      takesFocus: () => readSettings().takesFocus,
      isFollowed: (session) => followed.has(session),
      notKept: () => undefined,
      isLeft: async (text) => left.push(text) > 0,
      keepTyped: (_review, content) => typedLate.push(content),
      clock,
      logger: silentLogger,
    }),
  );
  const memento = { get: () => undefined, update: async () => {}, keys: () => [] };
  const followed = owned.add(new FollowedSessions({ state: memento, logger: silentLogger }));
  const sessions = () => model;
  owned.add(
    registerReviewCommands({
      views,
      focus,
      settings: readSettings,
      followed,
      accept: () => (review, how) => acceptReview(review, how, around),
      sessions,
      feedback: () => feedback,
    }),
  );
  const diagnostics = owned.add(new EditorDiagnostics({ paths, logger: silentLogger }));
  owned.add(followAccepted({ views, diagnostics, focus, settings: readSettings }));
  owned.add(showActiveReview(views));
  owned.add(new FilesUnderReview(views));
  owned.add(showUserEdits(views));
  owned.add(new ReviewThreads(views));
  const readFile = async (each: string): Promise<FileContent> => {
    try {
      const bytes = readFileSync(each);
      const text = bytes.toString('utf8');
      const isText = Buffer.from(text).equals(bytes);
      return isText ? { kind: 'text', text } : { kind: 'binary', size: bytes.length };
    } catch {
      return { kind: 'missing' };
    }
  };
  const reviews: Reviews = new Reviews({
    show: (review: Review): Promise<Disposable> => views.show(review),
    readFile,
    folders: () => [folder],
    clock,
    logger: silentLogger,
  });
  const around = {
    readFile: (review: Review) => readFile(review.proposal.path),
    marks: (of: { readonly path: string; readonly agent: string }) => reviews.findMarks(of),
    isUnsaved: async (each: string) => loadedDocument(paths.toUri(each))?.isDirty === true,
    save: async (each: string) => (await loadedDocument(paths.toUri(each))?.save()) ?? false,
    isKept: () => true,
    label: (each: string) => labelIn([folder], each),
  };
  const pendingOf = (session: string) =>
    reviews.pending.filter(({ proposal }) => proposal.session === session);
  const model: SessionModel = {
    names: { of: nameOfAgent },
    titleOf: (session) => (session.includes('gemini') ? 'Fix the login' : undefined),
    decide: (sessions, decision, answer) =>
      decideAll(sessions.flatMap(pendingOf), decision, answer, {
        ...around,
        nameOf: ({ proposal }) => nameOfAgent(proposal.agent),
      }),
  };
  const sent: { readonly review: Review; readonly rejects: boolean; readonly text: string | undefined }[] =
    [];
  const feedback: FeedbackModel & { delivery: 'prompt' | 'clipboard' } = {
    delivery: 'clipboard',
    send: async (review, { rejects = false, text } = {}) => {
      if (review.commentCount === 0 && text === undefined)
        throw new CommentError('There is no comment to send.');
      sent.push({ review, rejects, text });
      if (rejects) review.reject();
      // The delivery takes longer than the end of the review.
      await settle();
      const { delivery } = feedback;
      return {
        text: 'the feedback',
        delivery,
        note: delivery === 'prompt' ? 'Press Enter there.' : 'Paste it.',
      };
    },
  };
  const propose = async (name: string, content: string, agent = 'claude'): Promise<ReviewView> => {
    const proposal = { path: path(name), content, agent, session: `session of ${agent}` };
    const review = await reviews.propose(proposal);
    await settle();
    const view = views.all.find((each) => each.review === review);
    if (view === undefined) throw new Error('the review has no view');
    return view;
  };
  const documents = createDocuments(paths, focus);
  return { window, clock, views, reviews, documents, folder, path, propose, left, typedLate, sent, feedback };
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
