import { randomUUID } from 'node:crypto';
import { pick, pickList, pickText } from '../json.js';
import { type Dialect, jsonReply, type ModelReply, streamReply } from './turn.js';

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

/** The Responses API as Codex CLI uses it: everything streams. Only conversation requests offer tools; one for a title also asks for JSON. */
export const responsesDialect: Dialect = {
  name: 'responses',

  classify(method, path, body) {
    if (method !== 'POST' || !path.startsWith('/v1/responses')) return 'other';
    const isSide = pickList(body, 'tools').length === 0 || pick(pick(body, 'text'), 'format') !== undefined;
    return isSide ? 'side' : 'conversation';
  },

  answer(turn, _path, body): ModelReply {
    const id = `resp_${randomUUID()}`;
    const contents =
      'text' in turn
        ? [
            {
              type: 'message',
              role: 'assistant',
              content: [{ type: 'output_text', text: turn.text }],
            },
          ]
        : turn.calls.map(({ name, input }) => ({
            call_id: `call_${randomUUID()}`,
            name,
            // The arguments of some tools are a text and not JSON.
            ...('text' in input
              ? { type: 'custom_tool_call', input: input.text }
              : { type: 'function_call', arguments: JSON.stringify(input) }),
          }));
    const items = contents.map((item) => ({ ...item, id: `item_${randomUUID()}`, status: 'completed' }));
    const response = { id, object: 'response', created_at: 0, model: pickText(body, 'model') };
    return streamReply([
      event({ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } }),
      ...items.flatMap((item, output_index) => [
        event({ type: 'response.output_item.added', output_index, item }),
        event({ type: 'response.output_item.done', output_index, item }),
      ]),
      event({
        type: 'response.completed',
        response: { ...response, status: 'completed', output: items, usage: USAGE },
      }),
    ]);
  },

  answerOther: () => jsonReply({ error: { message: 'scripted model' } }, 404),

  toolResults: (body) =>
    pickList(body, 'input')
      .filter((item) => /^(function|custom_tool)_call_output$/.test(pickText(item, 'type')))
      .map((item) => pickText(item, 'output')),
};

function event(data: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}`;
}
