import * as z from 'zod';

/** The part of an ACP `session/request_permission` that decides how the user is asked. */
export interface RequestedTool {
  readonly kind?: unknown;
  readonly content?: unknown;
  readonly locations?: unknown;
  /** The tool's arguments: the model chooses every key and value. */
  readonly rawInput?: unknown;
  /** Written by the daemon. */
  readonly _meta?: unknown;
}

/** One question of the agent. */
export interface AskUserQuestion {
  readonly question: string;
  readonly header: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect: boolean;
}

export type Judgement =
  /** A tool asks to run: the user sees what it would execute and chooses. */
  | { readonly kind: 'permission' }
  /** The agent asks at least one question and executes nothing. */
  | {
      readonly kind: 'questions';
      readonly questions: readonly AskUserQuestion[];
      readonly metadata?: unknown;
    }
  /** Neither: rejected. `reason` is a clause for the user, such as "it asks nothing". */
  | { readonly kind: 'refused'; readonly reason: string };

/** The daemon's own question tool. */
export const questionTool = 'ask_user_question';

/** The kinds of a question: Qwen Code 0.24.4 sends `think`; its document says `ask_user_question`. */
const questionKinds: readonly string[] = ['think', questionTool, 'other'];

/** The arguments of the question tool. */
const questionArguments: readonly string[] = ['questions', 'metadata'];

const wireMeta = z.object({ toolName: z.string() });

const words = z.string().refine((text) => text.trim() !== '');

const wireQuestions = z
  .array(
    z.object({
      question: words,
      header: z.string().default(''),
      options: z.array(z.object({ label: words, description: z.string().optional() })).default([]),
      multiSelect: z.boolean().default(false),
    }),
  )
  .min(1);

/**
 * Decides whether a request is a permission, questions or neither. The chat, the adapter and pending requests from a
 * session's status all use this rule. Only the daemon's own question tool asks questions, and the daemon names the tool in
 * `_meta`: a list of questions among the arguments of another tool is an ordinary argument.
 */
export function judgeRequest(tool: RequestedTool): Judgement {
  if (!isQuestionTool(tool)) return { kind: 'permission' };
  const { kind, content, locations, rawInput } = tool;
  if (!isRecord(rawInput) || isNothing(rawInput.questions)) return refused('it asks nothing');
  const isAlone = Object.keys(rawInput).every((key) => questionArguments.includes(key));
  const isOfQuestionKind = typeof kind !== 'string' || questionKinds.includes(kind);
  if (!isAlone || !isOfQuestionKind || !isNothing(content) || !isNothing(locations)) {
    return refused('it carries more than its questions');
  }
  const questions = wireQuestions.safeParse(rawInput.questions);
  if (!questions.success) return refused('its questions cannot be read');
  const { metadata } = rawInput;
  return {
    kind: 'questions',
    questions: questions.data.map(toQuestion),
    ...(metadata !== undefined && { metadata }),
  };
}

/** The daemon's name of the tool decides; without a name, its kind. */
function isQuestionTool({ kind, _meta }: RequestedTool): boolean {
  const meta = wireMeta.safeParse(_meta);
  return meta.success ? meta.data.toolName === questionTool : kind === questionTool;
}

function toQuestion({ options, ...question }: z.infer<typeof wireQuestions>[number]): AskUserQuestion {
  return {
    ...question,
    options: options.map(({ label, description }) =>
      description === undefined ? { label } : { label, description },
    ),
  };
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refused(reason: string): Judgement {
  return { kind: 'refused', reason };
}
