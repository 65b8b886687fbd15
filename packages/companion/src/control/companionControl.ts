import { DocumentError } from '@tandem/core';
import {
  type FileContent,
  type FileMerge,
  type FileRelation,
  findStop,
  type HistoryEntry,
  type InterruptedReview,
  type Review,
  type ReviewNote,
  remakeReview,
  warningOf,
} from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import type { Companion } from '../companion.js';
import type { CompanionOptions } from '../companionOptions.js';
import { pausing } from '../files/pausing.js';
import { readIfPossible, WorkspaceFiles } from '../files/workspaceFiles.js';
import { findReview } from '../reviews/findReview.js';
import { describeEntry } from '../reviews/history.js';
import { describeReview } from '../reviews/reviewSummary.js';
import type { ControlHandlers, ReviewDetails } from './controlContract.js';
import { deskCalls, requireLine } from './deskCalls.js';
import { requirePage } from './hostPage.js';

/** Answers the calls of the control interface. Errors are those of `toRpcError`. */
export function companionControl(
  companion: Companion,
  { page, onStopRequested }: Pick<CompanionOptions, 'page' | 'onStopRequested'>,
): ControlHandlers {
  const { reviews, editor, interrupted, changes } = companion;
  return {
    status: () => companion.status(),
    connections: () => companion.agents.connections(),
    'review.list': async ({ all }) => {
      await companion.sweep();
      const isEarlier = ({ decided }: HistoryEntry): boolean => reviews.get(decided.id) === undefined;
      const ended = (): (HistoryEntry | Review)[] =>
        all
          ? [...companion.history.decided.filter(isEarlier), ...reviews.ended].filter(
              (each) => interrupted.get('decided' in each ? each.decided.id : each.id) === undefined,
            )
          : [];
      return companion.present.summaries(() => [...ended(), ...companion.apart, ...reviews.pending]);
    },
    'review.show': async ({ id }) => (await showReview(companion, id)).details,
    'review.edit': async ({ id, content }) => {
      const review = findReview(companion, id);
      await review.editInSteps(content, pausing());
      // The caller may then delete its own copy.
      await reviews.persisted();
      return companion.present.facts(review);
    },
    ...deskCalls(companion, {
      find: (id) => {
        const review = findReview(companion, id);
        return { review, isSeen: (version = review.version) => version === review.version };
      },
    }),
    'session.list': () => companion.sessions.list(),
    'changes.list': async ({ session, ...rest }) => {
      const listed = await changes.list({
        ...rest,
        ...(session && { session: changes.requireSession(session) }),
      });
      return listed.map(({ entries, ...file }) => ({
        ...file,
        entries: entries.map(describeEntry),
      }));
    },
    async focus({ path, range }) {
      await requireLine(companion, path, range?.end.line);
      await editor.documents.open(path, { takeFocus: true, ...(range && { range }) });
      companion.feed.flush();
      return companion.sharing.status();
    },
    page: () => requirePage(page, editor.info.displayName),
    trace: () => [...companion.trace.lines],
    stop() {
      if (onStopRequested === undefined) {
        throw new RpcError(
          'refused',
          `This companion runs in ${editor.info.displayName}. To stop it, close ${editor.info.displayName}.`,
        );
      }
      // Send the answer first.
      setImmediate(onStopRequested);
    },
  };
}

/** A review with its texts, and how its file has changed. */
interface ReadReview {
  readonly details: ReviewDetails;
  readonly original: FileContent;
  readonly relation: FileRelation;
}

/** A review in any state, with its texts. Throws as `findReview`. */
export async function showReview(companion: Companion, id: string): Promise<ReadReview> {
  const saved = companion.interrupted.get(id);
  if (saved !== undefined) return showInterrupted(companion, saved);
  const review = findReview(companion, id);
  const stop = findStop(review, await readIfPossible(new WorkspaceFiles(), review));
  await review.compare(pausing());
  const relation = stop === 'markers' ? undefined : stop;
  const details = describeReview(review, { ...companion.present.contextOf(review), relation });
  return {
    details: { ...details, version: review.version },
    original: review.original,
    relation: relation ?? 'unchanged',
  };
}

async function showInterrupted(companion: Companion, saved: InterruptedReview): Promise<ReadReview> {
  const found = await companion.interruptedFiles.compare(saved).catch((error: unknown) => {
    if (error instanceof DocumentError) return error;
    throw error;
  });
  await remakeReview(saved).compare(pausing());
  const details = companion.present.interrupted(saved);
  const kind = found instanceof DocumentError ? 'unchanged' : found.kind;
  const note = found instanceof DocumentError ? otherNote(found.message) : fileNote(found.kind);
  const notes = note === undefined ? details.notes : [...details.notes, note];
  return {
    details: { ...details, notes },
    original: saved.original,
    relation: kind === 'applied' || kind === 'binary' ? 'unchanged' : kind,
  };
}

/** What applying an interrupted review finds. */
function fileNote(kind: FileMerge['kind']): ReviewNote | undefined {
  switch (kind) {
    case 'applied':
      return otherNote('The file already contains it.');
    case 'unchanged':
    case 'merged':
      return undefined;
    case 'conflict':
      return warningOf({ kind, text: 'The file has changed on lines that this review also changes.' });
    case 'deleted':
      return warningOf({ kind, text: 'The file has been deleted.' });
    case 'binary':
      return warningOf({ kind, text: 'The file is binary.' });
  }
}

function otherNote(text: string): ReviewNote {
  return { kind: 'unseen', isWarning: false, title: text, text };
}
