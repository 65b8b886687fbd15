import * as z from 'zod';

/** The part of an ACP `session/request_permission` that decides how it is put to the user. */
export interface RequestedTool {
  readonly kind?: unknown;
  readonly content?: unknown;
  readonly locations?: unknown;
  /** The arguments of the tool: every key and value in them is the model's. */
  readonly rawInput?: unknown;
  /** Made by the daemon. */
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
  /** A tool wants to run: the user sees what it would execute and chooses. */
  | { readonly kind: 'permission' }
  /** The agent asks the user and executes nothing. There is at least one question. */
  | {
      readonly kind: 'questions';
      readonly questions: readonly AskUserQuestion[];
      readonly metadata?: unknown;
    }
  /** Neither: it is answered with a rejection. `reason` is a clause for the user, such as "it asks nothing". */
  | { readonly kind: 'refused'; readonly reason: string };

/** The daemon's own tool that asks the user. */
export const questionTool = 'ask_user_question';

/** The kinds that a question can have: `think` is what Qwen Code 0.24.4 sends, `ask_user_question` what its document says. */
const questionKinds: readonly string[] = ['think', questionTool, 'other'];

/** The arguments that the question tool has. */
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
 * Decides whether a request is a permission, a question or neither: the one rule for the chat, the adapter and the
 * requests that a session's status lists. Only the daemon's own question tool asks questions, and the daemon says in
 * `_meta` which tool it is: a list of questions among the arguments of another tool is an argument like any other.
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

/** The daemon's name of the tool decides; its kind where the daemon names none. */
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
