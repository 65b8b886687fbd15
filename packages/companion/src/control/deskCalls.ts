import type { Path } from '@tandem/core';
import {
  type Action,
  actionNotes,
  alreadyDecided,
  answerOf,
  changeWords,
  closeReview,
  FileConflictError,
  type FileFollower,
  prepareToFollow,
  presentActions,
  presentApplied,
  presentLetGo,
  presentLimit,
  presentTurn,
  type Review,
  remakeReview,
  splitLines,
  type WhenClosed,
} from '@tandem/reviews';
import { type DeskContract, type Handlers, type ReviewFacts, RpcError } from '@tandem/rpc';
import type { Companion } from '../companion.js';
import { pausing } from '../files/pausing.js';
import { WorkspaceFiles } from '../files/workspaceFiles.js';
import { findReview } from '../reviews/findReview.js';
import { requireInterrupted } from '../reviews/interruptedFiles.js';
import { outcomeOf } from '../reviews/sessions.js';
import { questionError, requireDone } from './rpcErrors.js';
import { commandName } from './thisMachine.js';

/** A review as the view of the caller shows it. */
export interface ViewedReview {
  readonly review: Review;
  /** The view's follower of the file. */
  readonly file?: FileFollower;
  /** Whether the text is the one that the user saw at `version` of the view. */
  readonly isSeen?: (version: number | undefined) => boolean;
}

/** What the calls need to know about the view of their caller. By default it has none. */
export interface DeskView {
  /** The review that a decision is about. Throws `RpcError` if there is none. */
  readonly find?: (id: string) => ViewedReview;
  /** What closing a view does. */
  readonly whenClosed?: () => WhenClosed;
}

/** Answers what a user does with reviews, in every view. Errors are those of `toRpcError`. */
export function deskCalls(companion: Companion, view: DeskView = {}): Handlers<DeskContract> {
  const { reviews, policy, interrupted, interruptedFiles, changes, sessions } = companion;
  const files = new WorkspaceFiles();
  const find = view.find ?? ((id: string): ViewedReview => ({ review: findReview(companion, id) }));
  /** Resolves once the journal has what the call changed. */
  const stored = async <Result>(result: Result): Promise<Result> => {
    await reviews.persisted();
    return result;
  };
  /** Resolves once the journal has the change. The agent's answer is not sent yet: comparing texts here would delay it. */
  const changed = async (review: Review): Promise<ReviewFacts> => {
    await reviews.persisted();
    return companion.present.facts(review);
  };
  const mergeFile = async (review: Review, marksConflicts: boolean): Promise<number> => {
    const file = await files.read(review.proposal.path);
    await prepareToFollow(review, file, pausing(), { marksConflicts });
    return review.mergeFile(file, { marksConflicts });
  };
  const actionsOf = (id: string): readonly Action[] => {
    const saved = interrupted.get(id);
    if (saved !== undefined) return presentActions(saved, { agentName: saved.agent });
    const { review, file } = find(id);
    if (review.state !== 'pending') throw alreadyDecided(review);
    return presentActions(review, { file, agentName: review.proposal.agent });
  };
  const letGo = async (review: Review): Promise<{ readonly note: string }> => {
    if (!review.withdraw('let-go')) throw alreadyDecided(review);
    const { agentName } = await changed(review);
    return { note: presentLetGo(agentName, review) };
  };
  const calls: Handlers<DeskContract> = {
    'review.accept': async ({ id, version, content, answer, overwrites }) => {
      const { review, file, isSeen } = find(id);
      const attempt = await companion.accept(review, {
        ...answerOf(answer, overwrites),
        content,
        file,
        ...(isSeen && { isSeen: () => isSeen(version) }),
      });
      requireDone(attempt, companion.present.facts(review).label);
      const note = attempt.kind === 'merged' ? actionNotes.merge : undefined;
      return { ...companion.present.facts(review), note };
    },
    'review.reject': ({ id }) => {
      const { review } = find(id);
      if (!review.reject()) throw alreadyDecided(review);
      return changed(review);
    },
    'review.merge': async ({ id, marksConflicts = false }) => {
      const { review, file } = find(id);
      try {
        const conflicts =
          file !== undefined && marksConflicts
            ? await file.markConflicts()
            : await mergeFile(review, marksConflicts);
        const note = conflicts > 0 ? actionNotes.merge : undefined;
        return { ...(await changed(review)), conflicts, note };
      } catch (error) {
        if (error instanceof FileConflictError) throw mergeRefused(review, error);
        throw error;
      }
    },
    'review.undoMerge': async ({ id }) => {
      const { review, file } = find(id);
      if (file === undefined)
        throw new RpcError('refused', 'A merge can only be undone where the review is shown.');
      await file.undoMerge();
      return { ...(await changed(review)), note: actionNotes.undoMerge };
    },
    'review.run': async ({ id, action: wanted, answer }, context) => {
      const actions = actionsOf(id).map((each) => each.id);
      const action = actions.find((each) => each === wanted);
      switch (action) {
        case undefined:
          throw new RpcError(
            'refused',
            `Review ${id} has no action "${wanted}" now. It has: ${actions.join(', ')}.`,
          );
        case 'merge':
          return calls['review.merge']({ id, marksConflicts: true }, context);
        case 'reject':
          await calls['review.reject']({ id }, context);
          return {};
        case 'letGo':
          return letGo(find(id).review);
        case 'discard':
          return calls['review.discard']({ ids: [id], answer }, context);
        default:
          return calls[`review.${action}`]({ id, answer }, context);
      }
    },
    'review.close': async ({ id, isSeveral, canUndo }) => {
      const { review } = find(id);
      const { agentName, label } = companion.present.facts(review);
      const whenClosed = view.whenClosed?.() ?? 'keep';
      const how = { whenClosed, isSeveral, canUndo, agentName, label };
      const { note, question, undoMs } = closeReview(review, how);
      if (question !== undefined) throw questionError(question);
      if (review.outcome !== undefined) await reviews.persisted();
      return { note, undoMs };
    },
    'review.hunk': async ({ id, hunk, isKept }) => {
      const { review } = find(id);
      await review.setHunk(hunk, isKept, pausing());
      return changed(review);
    },
    'review.apply': async ({ id, answer, marksConflicts }) => {
      const label = companion.present.names.label(requireInterrupted(interrupted.all, id).path);
      const applied = await interruptedFiles.apply(id, answerOf(answer, marksConflicts));
      if (applied.kind === 'question') throw questionError(applied.question);
      const { conflicts, restoration } = applied;
      return stored({ conflicts, restoration, note: presentApplied(label, conflicts, applied) });
    },
    'review.discard': async ({ ids, answer }) => {
      const found = ids.map((id) => requireInterrupted(interrupted.all, id));
      const question = interruptedFiles.discard(found, answer);
      if (question !== undefined) throw questionError(question);
      return stored({});
    },
    'review.comment': async ({ id, ...comment }) => stored(findReview(companion, id).addComment(comment)),
    'review.editComment': async ({ id, comment, text }) =>
      stored(findReview(companion, id).editComment(comment, text)),
    'review.removeComment': async ({ id, comment }) => {
      findReview(companion, id).removeComment(comment);
      return stored({});
    },
    'review.feedback': ({ id, ...how }) => {
      const saved = interrupted.get(id);
      const review = saved === undefined ? findReview(companion, id) : remakeReview(saved);
      return companion.feedback.send(review, how);
    },
    'session.decide': async ({ session, decision, answer }) => {
      const meant =
        session === undefined ? sessions.list().map((each) => each.id) : [sessions.require(session)];
      return outcomeOf(await sessions.decide(meant, decision, answer));
    },
    'session.hooks': async ({ session, hooks }) => {
      companion.agents.setHooks(session, hooks);
      await companion.journal.write();
      return {};
    },
    'changes.restore': async ({ session, ...rest }) => {
      const of = session && changes.requireSession(session);
      return stored(await changes.restore({ ...rest, session: of }));
    },
    'changes.keep': async ({ session, ...rest }) => {
      const kept = await changes.keep({ ...rest, session: session && changes.requireSession(session) });
      if (kept.kind === 'question') throw questionError(kept.question);
      return stored({ files: kept.files, note: kept.note });
    },
    'changes.hunks': async ({ path }) => {
      const hunks = await changes.hunks(path);
      return {
        hunks: hunks.map((hunk) => {
          const agent = companion.sessions.names.of(hunk.agent, hunk.session);
          const turn = hunk.turn && presentTurn(hunk.turn);
          return { ...hunk, label: turn === undefined ? agent : `${agent}, ${turn}` };
        }),
        actions: [
          { id: 'keep', label: changeWords.keep },
          { id: 'undo', label: changeWords.undo },
        ],
      };
    },
    'changes.waiting': async ({ session }) => ({
      files: await changes.countWaiting(session && changes.requireSession(session)),
      note: presentLimit(companion.history.days),
    }),
    'changes.forget': () => companion.forgetDecided(),
    mention: async ({ path, lines }) => {
      await requireLine(companion, path, lines?.last);
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
  };
  return calls;
}

/** Refuses a 0-based line that the file does not have. An open document with unsaved changes is not checked: it may have more. */
export async function requireLine(
  { editor }: Companion,
  path: Path,
  line: number | undefined,
): Promise<void> {
  if (line === undefined || editor.documents.state(path)?.isDirty) return;
  // Opening a file that cannot be read fails with its own reason.
  const content = await new WorkspaceFiles().read(path).catch(() => undefined);
  if (content?.kind !== 'text') return;
  const count = splitLines(content.text).length;
  // Editors show an empty line after the last line end.
  if (line <= count) return;
  const valid = count < 2 ? 'The only line is 1.' : `Valid lines are 1 to ${count}.`;
  throw new RpcError('bad-params', `${path} has no line ${line + 1}. ${valid}`);
}

function mergeRefused({ id }: Review, error: FileConflictError): RpcError {
  const marking = `To merge both versions with conflict markers: ${commandName} review update ${id} --conflicts`;
  const words = [error.message, 'The review is unchanged.', ...(error.canBeMarked ? [marking] : [])];
  return new RpcError('refused', words.join(' '), { cause: error });
}
