import {
  alreadyDecided,
  answerOf,
  DocumentError,
  FileConflictError,
  type FileContent,
  type FileMerge,
  findStop,
  type Path,
  prepareToFollow,
  type Review,
  type ReviewNote,
  splitLines,
  warningOf,
} from '@tandem/core';
import { type ReviewFacts, RpcError } from '@tandem/rpc';
import type { Companion } from '../companion.js';
import type { CompanionOptions } from '../companionOptions.js';
import { feedbackCalls } from '../feedback/feedbackCalls.js';
import { pausing } from '../files/pausing.js';
import { readIfPossible, WorkspaceFiles } from '../files/workspaceFiles.js';
import { findReview } from '../reviews/findReview.js';
import { describeEntry } from '../reviews/history.js';
import { requireInterrupted } from '../reviews/interruptedFiles.js';
import type { HistoryEntry, InterruptedReview } from '../reviews/reviewRecords.js';
import { describeFacts, describeInterrupted, describeReview } from '../reviews/reviewSummary.js';
import { remakeReview } from '../reviews/savedReview.js';
import { sessionCalls } from '../reviews/sessions.js';
import type { ControlHandlers, ReviewDetails } from './controlContract.js';
import { requirePage } from './hostPage.js';
import { questionError, requireDone } from './rpcErrors.js';
import { commandName } from './thisMachine.js';

/** Answers the calls of the control interface. Errors are those of `toRpcError`. */
export function companionControl(
  companion: Companion,
  { page, onStopRequested }: Pick<CompanionOptions, 'page' | 'onStopRequested'>,
): ControlHandlers {
  const { reviews, policy, editor, interrupted, interruptedFiles, changes } = companion;
  const files = new WorkspaceFiles();
  const find = (id: string): Review => findReview(companion, id);
  /** Resolves once the journal has the change. The agent's answer is not sent yet: comparing texts here would delay it. */
  const changed = async (review: Review): Promise<ReviewFacts> => {
    await reviews.persisted();
    return describeFacts(review, companion.journal.problemWith(review));
  };
  const decide = (review: Review, decision: (review: Review) => boolean): Promise<ReviewFacts> => {
    if (!decision(review)) throw alreadyDecided(review);
    return changed(review);
  };
  /** Refuses a 0-based line that the file does not have. An open document with unsaved changes is not checked: it may have more. */
  const requireLine = async (path: Path, line: number | undefined): Promise<void> => {
    if (line === undefined || editor.documents.state(path)?.isDirty) return;
    // Opening a file that cannot be read fails with its own reason.
    const content = await files.read(path).catch(() => undefined);
    if (content?.kind !== 'text') return;
    const count = splitLines(content.text).length;
    // Editors show an empty line after the last line end.
    if (line <= count) return;
    const valid = count < 2 ? 'The only line is 1.' : `Valid lines are 1 to ${count}.`;
    throw new RpcError('bad-params', `${path} has no line ${line + 1}. ${valid}`);
  };
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
      return companion.summariseAll(() => [...ended(), ...interrupted.all, ...reviews.pending]);
    },
    'review.show': async ({ id }) => {
      const saved = interrupted.get(id);
      if (saved === undefined) {
        const review = find(id);
        const stop = findStop(review, await readIfPossible(files, review));
        await review.compare(pausing());
        const relation = stop === 'markers' ? undefined : stop;
        return describeReview(review, { notKept: companion.journal.problemWith(review), relation });
      }
      return (await showInterrupted(companion, saved)).details;
    },
    'review.accept': async ({ id, content, answer, overwrites }) => {
      const review = find(id);
      const attempt = await companion.accept(review, { ...answerOf(answer, overwrites), content });
      if (attempt.kind === 'changed') throw new RpcError('changed', justMerged(review));
      requireDone(attempt, review);
      return describeFacts(review, companion.journal.problemWith(review));
    },
    'review.reject': ({ id }) => decide(find(id), (review) => review.reject()),
    'review.edit': async ({ id, content }) => {
      const review = find(id);
      await review.editInSteps(content, pausing());
      // The caller may then delete its own copy.
      return changed(review);
    },
    'review.update': async ({ id, marksConflicts }) => {
      const review = find(id);
      const marks = marksConflicts === true;
      const file = await files.read(review.proposal.path);
      await prepareToFollow(review, file, pausing(), { marksConflicts: marks });
      const conflicts = mergeFile(review, file, marks);
      return { ...(await changed(review)), conflicts };
    },
    'review.hunk': async ({ id, hunk, isKept }) => {
      const review = find(id);
      await review.setHunk(hunk, isKept, pausing());
      return changed(review);
    },
    ...feedbackCalls(companion),
    'hook.wait': async ({ agent, pid, request }, { signal }) => {
      const protocol = companion.agents.protocols.find(({ identity }) => identity.id === agent);
      return { text: await protocol?.prompt?.hooks?.wait(pid, request, signal) };
    },
    'review.apply': async ({ id, answer, marksConflicts }) => {
      const applied = await interruptedFiles.apply(id, answerOf(answer, marksConflicts));
      if (applied.kind === 'question') throw questionError(applied.question);
      await reviews.persisted();
      const { conflicts, restoration } = applied;
      return { conflicts, ...(restoration !== undefined && { restoration }) };
    },
    'review.discard': async ({ id, answer }) => {
      const question = interruptedFiles.discard([requireInterrupted(interrupted, id)], answer);
      if (question !== undefined) throw questionError(question);
      await reviews.persisted();
      return {};
    },
    'session.list': () => companion.sessions.list(),
    ...sessionCalls(companion.sessions),
    'changes.list': async ({ session }) => {
      const listed = await changes.list(session === undefined ? undefined : changes.requireSession(session));
      return listed.map(({ entries, ...file }) => ({
        ...file,
        entries: entries.map(describeEntry),
      }));
    },
    'changes.restore': async ({ session, ...rest }) => {
      const restored = await changes.restore({
        ...rest,
        session: session && changes.requireSession(session),
      });
      await reviews.persisted();
      return restored;
    },
    'changes.forget': async () => {
      await companion.forgetDecided();
      return {};
    },
    async focus({ path, range }) {
      await requireLine(path, range?.end.line);
      await editor.documents.open(path, { takeFocus: true, ...(range && { range }) });
      companion.feed.flush();
      return companion.sharing.status();
    },
    async mention({ path, lines }) {
      await requireLine(path, lines?.last);
      return { count: await companion.agents.mention(path, lines) };
    },
    'share.pause': () => {
      policy.pause();
      return companion.sharing.status();
    },
    'share.resume': () => {
      policy.resume();
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

function justMerged({ id, proposal: { path } }: Review): string {
  return (
    `${path} changed on disk. The changes are now merged into review ${id}.\n` +
    `To check the result: ${commandName} review show ${id}\nThen accept again.`
  );
}

/** An interrupted review with its texts, and how its file has changed; without `merge` if the file cannot be read. */
export async function showInterrupted(
  { interruptedFiles, journal }: Companion,
  saved: InterruptedReview,
): Promise<{ readonly details: ReviewDetails; readonly merge?: FileMerge['kind'] }> {
  const found = await interruptedFiles.compare(saved).catch((error: unknown) => {
    if (error instanceof DocumentError) return error;
    throw error;
  });
  await remakeReview(saved).compare(pausing());
  const details = describeInterrupted(saved, journal.problemWith(saved));
  if (found instanceof DocumentError)
    return { details: { ...details, notes: [...details.notes, otherNote(found.message)] } };
  const note = fileNote(found.kind);
  const notes = note === undefined ? details.notes : [...details.notes, note];
  return { details: { ...details, notes }, merge: found.kind };
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
      return warningOf({ kind, text: 'The file is not text.' });
  }
}

function otherNote(text: string): ReviewNote {
  return { kind: 'unseen', isWarning: false, title: text, text };
}

function mergeFile(review: Review, file: FileContent, marksConflicts: boolean): number {
  try {
    return review.mergeFile(file, { marksConflicts });
  } catch (error) {
    if (!(error instanceof FileConflictError)) throw error;
    const marking = `To merge both versions with conflict markers: ${commandName} review update ${review.id} --conflicts`;
    const words = [error.message, 'The review is unchanged.', ...(error.canBeMarked ? [marking] : [])];
    throw new RpcError('refused', words.join(' '), { cause: error });
  }
}
