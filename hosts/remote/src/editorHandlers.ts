import { basename } from 'node:path';
import {
  type Companion,
  companionControl,
  outcomeOf,
  pausing,
  requireDone,
  requireInterrupted,
  showInterrupted,
} from '@tandem/companion';
import type { ControlHandlers } from '@tandem/companion/control';
import {
  type Answer,
  alreadyDecided,
  answerOf,
  closeReview,
  conformText,
  type Decision,
  type Path,
  type Question,
} from '@tandem/core';
import { type Handlers, type RestoredFile, RpcError } from '@tandem/rpc';
import type { CloseAnswer, editorCalls, viewCalls } from './protocol.js';
import { realPathOf } from './realPath.js';
import type { RemoteEditor } from './remoteEditor.js';
import { describeShown, type RemoteReview } from './remoteReview.js';

/** What the companion does for the calls about what the editor shows. */
interface ViewServices {
  /** Accepts a review, or asks. Resolves when a decision is final. */
  readonly accept: Companion['accept'];
  /** Resolves when a decision is final. */
  readonly persisted: () => Promise<void>;
  /** The variables for the editor's terminals. */
  readonly environment: () => Record<string, string>;
  /** Keeps what the user typed while the review was withdrawn. Returns whether it was. */
  readonly keepLate: (id: string, content: string) => boolean;
}

/** Answers the calls about what the editor shows. Errors are those of `toRpcError`. */
export function viewHandlers(
  editor: RemoteEditor,
  { accept, persisted, environment, keepLate }: ViewServices,
): Handlers<typeof viewCalls> {
  const find = (id: string): RemoteReview => {
    const shown = editor.find(id);
    if (shown !== undefined) return shown;
    throw new RpcError('not-found', `Review ${id} is not pending.`);
  };
  return {
    'context/changed': (context) => {
      editor.contextChanged(context);
      return null;
    },
    'workspace/changed': (workspace) => {
      editor.workspaceChanged(workspace);
      return { environment: environment() };
    },
    'diagnostics/changed': ({ paths }) => {
      editor.diagnosticsChanged(paths);
      return null;
    },
    async 'review/edit'({ id, version, content }) {
      const shown = editor.find(id);
      if (shown?.review.state === 'pending') await shown.edit(version, content);
      else if (!keepLate(id, content)) throw new RpcError('not-found', `Review ${id} is not pending.`);
      return null;
    },
    async 'review/keep'({ id, hunk }) {
      await find(id).review.setHunk(hunk, true, pausing());
      return null;
    },
    async 'review/drop'({ id, hunk }) {
      await find(id).review.setHunk(hunk, false, pausing());
      return null;
    },
    async 'review/accept'({ id, content, version, answer, overwrites }) {
      if (content !== undefined && editor.find(id) === undefined) keepLate(id, content);
      const shown = find(id);
      const { review, file } = shown;
      const isExact =
        content !== undefined
          ? await shown.edit(version, content)
          : version === undefined || shown.isSeen(version);
      const text = review.content;
      const isSeen = (): boolean => overwrites === true || (isExact && review.content === text);
      requireDone(await accept(review, { ...answerOf(answer, overwrites), file, isSeen }), review);
      return null;
    },
    async 'review/reject'({ id }) {
      const { review } = find(id);
      if (!review.reject()) throw alreadyDecided(review);
      await persisted();
      return null;
    },
    async 'review/merge'({ id }) {
      await find(id).file.markConflicts();
      return null;
    },
    async 'review/close'({ id, isSeveral }) {
      const { review } = find(id);
      const { note, question } = closeReview(review, {
        whenClosed: editor.whenClosed,
        isSeveral,
        agentName: editor.nameOf(review),
        label: basename(review.proposal.path),
      });
      if (review.outcome !== undefined) await persisted();
      return {
        ...(note !== undefined && { note }),
        ...(question && { question: closeQuestion(id, question) }),
      };
    },
    async 'review/show'({ id }) {
      find(id);
      await editor.showAgain(id);
      return null;
    },
  };
}

/** The question after the user closed a view, for the protocol: its calls carry out these choices. */
function closeQuestion(id: string, { message, detail, choices }: Question): CloseAnswer['question'] {
  const params = { id };
  return {
    message: `${message}\n${detail}`,
    choices: choices.flatMap(({ kind, label }) => {
      if (kind === 'reject') return { label, method: 'review/reject' as const, params };
      return kind === 'show' ? { label, method: 'review/show' as const, params } : [];
    }),
  };
}

/** Answers all calls. Errors are those of `toRpcError`. */
export function editorHandlers(of: {
  readonly editor: RemoteEditor;
  readonly companion: Companion;
  readonly end: () => void;
}): Handlers<typeof editorCalls> {
  const { editor, companion, end } = of;
  const control = companionControl(companion, {});
  const { sessions } = companion;
  const decideAll = async (session: string, decision: Decision, answer: Answer) =>
    outcomeOf(await sessions.decide([sessions.require(session)], decision, answer));
  const call = <M extends keyof ControlHandlers>(method: M): ControlHandlers[M] => control[method];
  return {
    ...viewHandlers(editor, {
      accept: (review, how) => companion.accept(review, how),
      persisted: () => companion.reviews.persisted(),
      environment: () => companion.agents.environment(),
      keepLate(id, content) {
        const review = companion.reviews.get(id);
        if (review?.state !== 'withdrawn') return false;
        const text = conformText(content, review.content);
        if (text !== review.content) companion.interrupted.keepTyped(review, text);
        return true;
      },
    }),
    'review/comment': call('review.comment'),
    'review/editComment': call('review.editComment'),
    'review/removeComment': call('review.removeComment'),
    'review/feedback': call('review.feedback'),
    async 'review/list'() {
      await companion.sweep();
      return {
        reviews: (await companion.summariseAll(() => companion.reviews.pending)).map(withRealPath),
        interrupted: (await companion.summariseAll(() => companion.interrupted.all)).map(withRealPath),
      };
    },
    async 'review/read'({ id }) {
      const saved = requireInterrupted(companion.interrupted, id);
      const { details, merge } = await showInterrupted(companion, saved);
      const isChanged = merge === 'merged' || merge === 'conflict' || merge === 'deleted';
      return {
        review: describeShown(details, {
          path: realPathOf(saved.path),
          original: saved.original,
          agentName: companion.sessions.names.of(saved.agent, saved.session),
          version: 0,
          file: isChanged ? merge : 'unchanged',
        }),
      };
    },
    'review/apply': call('review.apply'),
    // The editor has asked.
    'review/discard': ({ id }, context) => control['review.discard']({ id, answer: {} }, context),
    'session/list': call('session.list'),
    async 'session/preview'({ session }) {
      return (await sessions.preview(sessions.require(session))).map(
        ({ review, seen, obstacle, concerns }) => ({
          id: review.id,
          path: review.proposal.path,
          seen,
          isEdited: review.isEdited,
          ...(obstacle && { obstacle }),
          concerns,
        }),
      );
    },
    async 'session/question'({ session: beginning, decision }) {
      const session = sessions.require(beginning);
      const { message, detail, choices } = await sessions.question(session, decision);
      return {
        message: [message, detail].filter((line) => line !== '').join('\n'),
        choices: choices.map(({ label, answer: { seen = [], confirmed = [], rejectsEdited } }) =>
          decision === 'accept'
            ? {
                label,
                method: 'session/acceptAll',
                params: { session, seen: [...seen], confirmed: [...confirmed] },
              }
            : {
                label,
                method: 'session/rejectAll',
                params: { session, seen: [...seen], ...(rejectsEdited && { rejectsEdited }) },
              },
        ),
      };
    },
    'session/acceptAll': ({ session, seen, confirmed = [] }) =>
      decideAll(session, 'accept', { seen, confirmed }),
    'session/rejectAll': ({ session, ...answer }) => decideAll(session, 'reject', answer),
    async 'changes/list'(params, context) {
      return (await control['changes.list'](params, context)).map(withRealPath);
    },
    async 'changes/restore'({ path, ...rest }, context) {
      const restored: RestoredFile[] = [];
      for (const spelled of path === undefined ? [path] : spellingsOf(path, companion.changes.paths())) {
        restored.push(...(await control['changes.restore']({ ...rest, path: spelled }, context)));
      }
      return restored.map(withRealPath);
    },
    mention: ({ path, ...lines }, context) => control.mention({ ...lines, path: realPathOf(path) }, context),
    'sharing/pause': call('share.pause'),
    'sharing/resume': call('share.resume'),
    status: call('status'),
    shutdown() {
      // Send the answer first.
      setImmediate(end);
      return null;
    },
  };
}

function withRealPath<Item extends { readonly path: Path }>(item: Item): Item {
  return { ...item, path: realPathOf(item.path) };
}

/** The spellings of a file's path with which agents have changed it; the path itself if there is none. */
function spellingsOf(path: Path, changed: Iterable<Path>): Path[] {
  const wanted = realPathOf(path);
  const found = [...changed].filter((each) => realPathOf(each) === wanted);
  return found.length > 0 ? found : [path];
}
