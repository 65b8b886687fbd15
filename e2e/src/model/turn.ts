/** One tool call of the scripted model, with the agent's own tool names. */
interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Used only with Qwen Code so far: a thought before the text, and a text that pauses halfway. */
interface TextTurn {
  readonly text: string;
  readonly thought?: string;
  /** After `text` the answer waits for `until`, then ends with `rest`. */
  readonly held?: { readonly until: Promise<void>; readonly rest: string };
}

/** What a dialect encodes: a closing text, or tool calls that the agent executes. */
export type SpokenTurn = TextTurn | { readonly calls: readonly ToolCall[] };

/** One answer of the scripted model. `failure` is an HTTP status. */
export type Turn = SpokenTurn | { readonly failure: number; readonly message: string };

export function say(text: string): SpokenTurn {
  return { text };
}

export function think(thought: string, text: string): Turn {
  return { thought, text };
}

/** Sends the text, waits, and then sends the rest. */
export function sayHalf(text: string, until: Promise<void>, rest = ''): Turn {
  return { text, held: { until, rest } };
}

export function fail(status: number, message: string): Turn {
  return { failure: status, message };
}

export function call(name: string, input: Readonly<Record<string, unknown>>): Turn {
  return { calls: [{ name, input }] };
}

/** Combines the tool calls of several turns into one turn. */
export function atOnce(turns: readonly Turn[]): Turn {
  return { calls: turns.flatMap((turn) => ('calls' in turn ? turn.calls : [])) };
}

/** One wire format of a model: how to classify requests and how to encode a turn. */
export interface Dialect {
  readonly name: string;
  /**
   * `conversation` consumes the next turn of the script. `side` is background work of the CLI (titles, suggestions,
   * classifiers) and consumes none. `other` is not a model call.
   */
  classify(method: string, path: string, body: unknown): 'conversation' | 'side' | 'other';
  /** The answer to a `conversation` or `side` request. */
  answer(turn: SpokenTurn, path: string, body: unknown): ModelReply;
  /** The answer to any other request, for example a token count. */
  answerOther(path: string): ModelReply;
  /** The texts of the tool results that came back in this request, oldest first. */
  toolResults(body: unknown): string[];
}

export interface ModelReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** The second part of the body, sent when `until` resolves. */
  readonly held?: { readonly until: Promise<void>; readonly rest: string };
}

export function jsonReply(value: unknown, status = 200): ModelReply {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}

/** A server-sent event stream: complete, or in two parts for a text that pauses. */
export function streamReply(
  events: readonly string[],
  held?: { readonly until: Promise<void>; readonly events: readonly string[] },
): ModelReply {
  const frame = (list: readonly string[]) => list.map((event) => `${event}\n\n`).join('');
  const whole = { status: 200, contentType: 'text/event-stream', body: frame(events) };
  return held === undefined ? whole : { ...whole, held: { until: held.until, rest: frame(held.events) } };
}
