import * as z from 'zod';

/** One exchange between an agent and the companion: a request with its answer, or a notification. */
export interface TraceEntry {
  /** Its number in this timeline. */
  readonly id: number;
  /** When the first message was seen, as Unix time in milliseconds. */
  readonly at: number;
  readonly agent: string;
  readonly session: string;
  /** Which side sent the first message. */
  readonly from: 'agent' | 'companion';
  /** An answer is an entry of its own if its request is older than the trace. */
  readonly kind: 'request' | 'notification' | 'answer';
  readonly method: string;
  /** The tool and the file, if the message contains them. */
  readonly detail?: string;
  /** Absent for a notification and for a pending request. */
  readonly answer?: TraceAnswer;
}

interface TraceAnswer {
  /** Milliseconds after the request; undefined if unknown. */
  readonly afterMs?: number;
  readonly isError: boolean;
  /** A keyword of the protocol, such as `FILE_SAVED`, or an error code. */
  readonly says?: string;
}

/** The effect of a line: it began an entry, or answered one. */
export interface TraceStep {
  readonly entry: TraceEntry;
  readonly isAnswer: boolean;
}

const recorded = z.object({
  t: z.number(),
  endpoint: z.string(),
  session: z.string(),
  direction: z.enum(['in', 'out']),
  message: z.looseObject({
    id: z.union([z.string(), z.number(), z.null()]).optional(),
    method: z.string().optional(),
    params: z.unknown().optional(),
    result: z.unknown().optional(),
    error: z.looseObject({ code: z.unknown().optional() }).optional(),
  }),
});

/** Requests of agents that vanished are never answered; at most this many are remembered. */
const maxPending = 1_000;

/** Joins the recorder's lines into entries, one by one. It holds only the pending requests. */
export class Timeline {
  #count = 0;
  readonly #pending = new Map<string, TraceEntry>();

  /** Adds one line; returns undefined if the recorder did not write it. */
  add(line: string): TraceStep | undefined {
    const parsed = recorded.safeParse(parseJson(line));
    if (!parsed.success) return undefined;
    const { t: at, endpoint: agent, session, direction, message } = parsed.data;
    const isFromAgent = direction === 'in';
    const { id, method } = message;
    if (method === undefined) {
      // An answer travels in the opposite direction of its request.
      const key = keyOf(session, !isFromAgent, id);
      const request = this.#pending.get(key);
      const answer = answerOf(message);
      if (request === undefined) {
        const from = isFromAgent ? 'companion' : 'agent';
        return this.#begin({ at, agent, session, from, kind: 'answer', method: 'an answer', answer });
      }
      this.#pending.delete(key);
      const afterMs = Math.max(0, at - request.at);
      return { entry: { ...request, answer: { ...answer, afterMs } }, isAnswer: true };
    }
    const isRequest = id !== undefined && id !== null;
    const detail = detailOf(message.params);
    const step = this.#begin({
      at,
      agent,
      session,
      from: isFromAgent ? 'agent' : 'companion',
      kind: isRequest ? 'request' : 'notification',
      method,
      ...(detail !== undefined && { detail }),
    });
    if (isRequest) this.#addPending(keyOf(session, isFromAgent, id), step.entry);
    return step;
  }

  #addPending(key: string, request: TraceEntry): void {
    this.#pending.set(key, request);
    if (this.#pending.size <= maxPending) return;
    const [oldest = key] = this.#pending.keys();
    this.#pending.delete(oldest);
  }

  #begin(entry: Omit<TraceEntry, 'id'>): TraceStep {
    const begun = { id: this.#count, ...entry };
    this.#count += 1;
    return { entry: begun, isAnswer: false };
  }
}

/** The timeline of all these lines, in the order of their first messages. */
export function timelineOf(lines: readonly string[]): readonly TraceEntry[] {
  const timeline = new Timeline();
  const entries: TraceEntry[] = [];
  for (const line of lines) {
    const entry = timeline.add(line)?.entry;
    if (entry !== undefined) entries[entry.id] = entry;
  }
  return entries;
}

function keyOf(session: string, isFromAgent: boolean, id: unknown): string {
  return JSON.stringify([session, isFromAgent, id]);
}

const errorResult = z.looseObject({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ text: z.string().optional() })).optional(),
});

/** Protocols answer with keywords in capitals; anything else is content, which the recorder omitted. */
const protocolWord = /^[A-Z][A-Z_]{2,30}$/;

function answerOf(message: z.infer<typeof recorded>['message']): TraceAnswer {
  if (message.error !== undefined) {
    const { code } = message.error;
    return { isError: true, ...(typeof code === 'number' && { says: `error ${code}` }) };
  }
  const result = errorResult.safeParse(message.result).data;
  const word = result?.content?.[0]?.text;
  return {
    isError: result?.isError ?? false,
    ...(word !== undefined && protocolWord.test(word) && { says: word }),
  };
}

const named = z.looseObject({
  name: z.string().optional(),
  filePath: z.string().optional(),
  old_file_path: z.string().optional(),
  uri: z.string().optional(),
  tab_name: z.string().optional(),
});

/** The tool of a call, and its file, which is in different members for different agents. */
function detailOf(params: unknown): string | undefined {
  const read = named.safeParse(params).data;
  if (read === undefined) return undefined;
  const args = named.safeParse(read.arguments).data;
  const file = [args, read].flatMap((each) => [
    each?.filePath ?? each?.old_file_path ?? each?.uri ?? each?.tab_name,
  ]);
  const words = [read.name, file.find((each) => each !== undefined && each !== '')];
  const text = words.filter((each) => each !== undefined).join(' ');
  return text === '' ? undefined : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
