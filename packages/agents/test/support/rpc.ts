/** A JSON-RPC message, as tests read it. */
export interface RpcMessage {
  readonly jsonrpc?: string;
  readonly id?: number | string | null;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what came without a schema for each message.
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The text blocks of a tool's result. */
export function texts(answer: RpcMessage): string[] {
  return answer.result.content.map((block: { text: string }) => block.text);
}

/** The JSON in the only text block of a tool's result. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what came without a schema for each tool.
export function jsonOf(answer: RpcMessage): any {
  const [text, ...others] = texts(answer);
  if (text === undefined || others.length > 0) throw new Error(`not one text block: ${texts(answer).length}`);
  return JSON.parse(text);
}

/** Where a client connects. A protocol without a token of its own refuses it. */
export interface AgentEndpoint {
  readonly url: string;
  readonly token?: string | undefined;
}
