/** One tool call of the scripted model, in the agent's own vocabulary of tools. */
interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One answer of the scripted model: a closing text, or tool calls that the agent will execute. */
export type Turn = { readonly text: string } | { readonly calls: readonly ToolCall[] };

export function say(text: string): Turn {
  return { text };
}

export function call(name: string, input: Readonly<Record<string, unknown>>): Turn {
  return { calls: [{ name, input }] };
}

/** The tool calls of several turns, made in one. */
export function atOnce(turns: readonly Turn[]): Turn {
  return { calls: turns.flatMap((turn) => ('calls' in turn ? turn.calls : [])) };
}

/** What one wire format of a model needs: to tell requests apart and to put a turn on the wire. */
export interface Dialect {
  readonly name: string;
  /**
   * `conversation` consumes the next turn of the script. `side` is background work of the CLI (titles,
   * suggestions, classifiers) and is answered without consuming one. `other` is no model call at all.
   */
  classify(method: string, path: string, body: unknown): 'conversation' | 'side' | 'other';
  /** The answer to a `conversation` or `side` request. */
  answer(turn: Turn, path: string, body: unknown): ModelReply;
  /** The answer to any other request, for example a token count. */
  answerOther(path: string): ModelReply;
  /** The texts of the tool results that came back in this request, oldest first. */
  toolResults(body: unknown): string[];
}

export interface ModelReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export function jsonReply(value: unknown, status = 200): ModelReply {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}

/** A whole server-sent event stream; the scripted model never needs to dribble. */
export function streamReply(events: readonly string[]): ModelReply {
  return {
    status: 200,
    contentType: 'text/event-stream',
    body: events.map((event) => `${event}\n\n`).join(''),
  };
}
