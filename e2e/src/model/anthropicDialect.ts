import { randomUUID } from 'node:crypto';
import { pick, pickList, pickText } from '../json.js';
import { type Dialect, jsonReply, type ModelReply, type SpokenTurn, streamReply } from './turn.js';

const USAGE = {
  input_tokens: 10,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 5,
};

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Readonly<Record<string, unknown>> };

/** The Messages API as Claude Code uses it: everything streams, and only conversation requests offer tools. */
export const anthropicDialect: Dialect = {
  name: 'anthropic',

  classify(method, path, body) {
    if (method !== 'POST' || !/^\/v1\/messages(\?|$)/.test(path)) return 'other';
    return pickList(body, 'tools').length > 0 ? 'conversation' : 'side';
  },

  answer(turn, _path, body) {
    const blocks = blocksOf(turn);
    const message = {
      id: `msg_${randomUUID()}`,
      type: 'message',
      role: 'assistant',
      model: pickText(body, 'model') || 'scripted',
      content: [] as Block[],
      stop_reason: null as string | null,
      stop_sequence: null,
      usage: USAGE,
    };
    const stopReason = 'calls' in turn ? 'tool_use' : 'end_turn';
    if (pick(body, 'stream') !== true) {
      return jsonReply({ ...message, content: blocks, stop_reason: stopReason });
    }
    return streamReply([
      event({ type: 'message_start', message }),
      ...blocks.flatMap((block, index) => blockEvents(block, index)),
      event({ type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage: USAGE }),
      event({ type: 'message_stop' }),
    ]);
  },

  answerOther(path): ModelReply {
    if (path.startsWith('/v1/messages/count_tokens')) return jsonReply({ input_tokens: 10 });
    return jsonReply({ type: 'error', error: { type: 'not_found_error', message: 'scripted model' } }, 404);
  },

  toolResults(body) {
    return pickList(body, 'messages')
      .flatMap((message) => pickList(message, 'content'))
      .filter((block) => pick(block, 'type') === 'tool_result')
      .map((block) => {
        const content = pick(block, 'content');
        if (typeof content === 'string') return content;
        return pickList(content)
          .map((part) => pickText(part, 'text'))
          .join('\n');
      });
  },
};

/** Ids must be unique across all runs: Claude Code keeps transcripts and confuses tool calls with the same id. */
function blocksOf(turn: SpokenTurn): Block[] {
  if ('text' in turn) return [{ type: 'text', text: turn.text }];
  return turn.calls.map(({ name, input }) => ({
    type: 'tool_use',
    id: `toolu_${randomUUID()}`,
    name,
    input,
  }));
}

function blockEvents(block: Block, index: number): string[] {
  const start = block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
  const delta =
    block.type === 'text'
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
  return [
    event({ type: 'content_block_start', index, content_block: start }),
    event({ type: 'content_block_delta', index, delta }),
    event({ type: 'content_block_stop', index }),
  ];
}

function event(data: { type: string; [field: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}`;
}
