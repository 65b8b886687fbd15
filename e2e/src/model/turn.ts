/** One tool call of the scripted model, in the agent's own vocabulary of tools. */
interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What only Qwen Code's model needs so far: a thought before the text, and a text that pauses halfway. */
interface TextTurn {
  readonly text: string;
  readonly thought?: string;
  /** After `text` the answer waits for `until`, then ends with `rest`. */
  readonly held?: { readonly until: Promise<void>; readonly rest: string };
}

/** What a dialect puts on the wire: a closing text, or tool calls that the agent will execute. */
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

/** The tool calls of several turns, made in one. */
export function atOnce(turns: readonly Turn[]): Turn {
  return { calls: turns.flatMap((turn) => ('calls' in turn ? turn.calls : [])) };
}

/** What one wire format of a model needs: to distinguish requests and to encode a turn. */
export interface Dialect {
  readonly name: string;
  /**
   * `conversation` consumes the next turn of the script. `side` is background work of the CLI (titles,
   * suggestions, classifiers) and is answered without consuming one. `other` is no model call at all.
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
  /** What follows the body, once `until` is fulfilled. */
  readonly held?: { readonly until: Promise<void>; readonly rest: string };
}

export function jsonReply(value: unknown, status = 200): ModelReply {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}

/** A server-sent event stream, whole or, for a text that pauses, in two parts. */
export function streamReply(
  events: readonly string[],
  held?: { readonly until: Promise<void>; readonly events: readonly string[] },
): ModelReply {
  const frame = (list: readonly string[]) => list.map((event) => `${event}\n\n`).join('');
  const whole = { status: 200, contentType: 'text/event-stream', body: frame(events) };
  return held === undefined ? whole : { ...whole, held: { until: held.until, rest: frame(held.events) } };
}
