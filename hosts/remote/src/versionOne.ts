import { type Companion, outcomeOf } from '@tandem/companion';
import { commandName } from '@tandem/companion/control';
import type { Answer, Decision } from '@tandem/reviews';
import { type Handlers, RpcError } from '@tandem/rpc';
import { answer, concern, deskContract, id, none, nothing } from '@tandem/rpc/schemas';
import * as z from 'zod';
import { editorCalls } from './protocol.js';

/**
 * Version 1 of the editor protocol, for plugins that were not updated. It had a call of its own for most of what version 2
 * does with a question and an answer. What it cannot ask about is refused.
 */

const reviewId = z.object({ id });
const texts = z.array(z.string());
const hunkNumber = z.object({ id, hunk: z.int().min(0) });
/** What the user saw of the reviews that are decided. */
const seen = answer.shape.seen.unwrap();
const acceptAll = z.object({ session: id, seen, confirmed: texts.optional() });
const rejectAll = z.object({ session: id, seen, rejectsEdited: z.boolean().optional() });
const { result: decided } = deskContract['session.decide'];

/** Each choice names the call that carries it out. */
const closeAnswer = z.object({
  note: z.string().optional(),
  question: z
    .object({
      message: z.string(),
      choices: z.array(
        z.object({ label: z.string(), method: z.enum(['review/reject', 'review/show']), params: reviewId }),
      ),
    })
    .optional(),
});

const pendingDecision = z.object({
  id: z.string(),
  path: z.string(),
  seen: z.string(),
  isEdited: z.boolean(),
  obstacle: z.string().optional(),
  concerns: z.array(concern).readonly(),
});

const sessionQuestion = z.object({
  message: z.string(),
  choices: z.array(
    z.discriminatedUnion('method', [
      z.object({ label: z.string(), method: z.literal('session/acceptAll'), params: acceptAll }),
      z.object({ label: z.string(), method: z.literal('session/rejectAll'), params: rejectAll }),
    ]),
  ),
});

/** All that an editor of version 1 sends. */
export const callsOfOne = {
  ...editorCalls,
  'review/keep': { params: hunkNumber, result: nothing },
  'review/drop': { params: hunkNumber, result: nothing },
  'review/merge': { params: reviewId, result: nothing },
  'review/close': { params: editorCalls['review/close'].params, result: closeAnswer },
  'review/discard': { params: reviewId, result: none },
  'session/preview': { params: z.object({ session: id }), result: z.array(pendingDecision) },
  'session/question': {
    params: z.object({ session: id, decision: z.enum(['accept', 'reject']) }),
    result: sessionQuestion,
  },
  'session/acceptAll': { params: acceptAll, result: decided },
  'session/rejectAll': { params: rejectAll, result: decided },
  'sharing/pause': editorCalls['share/pause'],
  'sharing/resume': editorCalls['share/resume'],
} as const;

/** The same calls by those of version 2. */
export function handlersOfOne(
  calls: Handlers<typeof editorCalls>,
  { sessions }: Companion,
): Handlers<typeof callsOfOne> {
  const decideAll = async (session: string, decision: Decision, how: Answer) =>
    outcomeOf(await sessions.decide([sessions.require(session)], decision, how));
  return {
    ...calls,
    async 'review/accept'({ answer: _, ...params }, context) {
      try {
        return await calls['review/accept'](params, context);
      } catch (error) {
        throw withoutQuestion(error);
      }
    },
    async 'review/apply'({ answer: _, ...params }, context) {
      try {
        return await calls['review/apply'](params, context);
      } catch (error) {
        throw withoutQuestion(error);
      }
    },
    async 'review/keep'(params, context) {
      await calls['review/hunk']({ ...params, isKept: true }, context);
    },
    async 'review/drop'(params, context) {
      await calls['review/hunk']({ ...params, isKept: false }, context);
    },
    async 'review/merge'(params, context) {
      await calls['review/merge']({ ...params, marksConflicts: true }, context);
    },
    async 'review/close'(params, context) {
      try {
        return await calls['review/close'](params, context);
      } catch (error) {
        if (!(error instanceof RpcError) || error.question === undefined) throw error;
        const { message, detail, choices } = error.question;
        const named = { id: params.id };
        return {
          question: {
            message: `${message}\n${detail}`,
            choices: choices.flatMap(({ kind, label }) => {
              if (kind === 'reject') return { label, method: 'review/reject' as const, params: named };
              return kind === 'show' ? { label, method: 'review/show' as const, params: named } : [];
            }),
          },
        };
      }
    },
    // The plugin has asked.
    'review/discard': ({ id: one }, context) => calls['review/discard']({ ids: [one], answer: {} }, context),
    async 'session/preview'({ session }) {
      return (await sessions.preview(sessions.require(session))).map(({ review, ...preview }) => ({
        id: review.id,
        path: review.proposal.path,
        isEdited: review.isEdited,
        ...preview,
      }));
    },
    async 'session/question'({ session: beginning, decision }) {
      const session = sessions.require(beginning);
      const { message, detail, choices } = await sessions.question(session, decision);
      return {
        message: [message, detail].filter((line) => line !== '').join('\n'),
        choices: choices.map(({ label, answer: { seen: saw = [], confirmed = [], rejectsEdited } }) => {
          const params = { session, seen: [...saw] };
          return decision === 'accept'
            ? { label, method: 'session/acceptAll', params: { ...params, confirmed: [...confirmed] } }
            : { label, method: 'session/rejectAll', params: { ...params, rejectsEdited } };
        }),
      };
    },
    'session/acceptAll': ({ session, confirmed = [], ...how }) =>
      decideAll(session, 'accept', { ...how, confirmed }),
    'session/rejectAll': ({ session, ...how }) => decideAll(session, 'reject', how),
    'sharing/pause': calls['share/pause'],
    'sharing/resume': calls['share/resume'],
  };
}

/** A question that the plugin cannot show is a refusal. It knows those about later changes of the file. */
function withoutQuestion(error: unknown): unknown {
  if (!(error instanceof RpcError) || error.code !== 'question') return error;
  const message = `${error.message}\nThis plugin cannot ask you to confirm that. Update it, or decide with: ${commandName} review`;
  return new RpcError('refused', message, { cause: error });
}
