import { randomUUID } from 'node:crypto';
import { pick, pickList, pickText } from '../json.js';
import { type Dialect, jsonReply, type ModelReply, type SpokenTurn, streamReply } from './turn.js';

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** Chat completions as Qwen Code uses them. */
export const openaiDialect: Dialect = {
  name: 'openai',

  classify(method, path, body) {
    if (method !== 'POST' || !path.startsWith('/v1/chat/completions')) return 'other';
    return pickList(body, 'tools').length > 0 ? 'conversation' : 'side';
  },

  answer(turn, _path, body) {
    const id = `chatcmpl-${randomUUID()}`;
    const finish = 'calls' in turn ? 'tool_calls' : 'stop';
    const message = messageOf(turn);
    if (pick(body, 'stream') !== true) {
      const choices = [
        { index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish },
      ];
      return jsonReply({
        id,
        object: 'chat.completion',
        created: 0,
        model: 'scripted',
        choices,
        usage: USAGE,
      });
    }
    const chunk = (choices: unknown[], more: object = {}): string => {
      const head = { id, object: 'chat.completion.chunk', created: 0, model: 'scripted' };
      return `data: ${JSON.stringify({ ...head, choices, ...more })}`;
    };
    const say = (delta: object) =>
      chunk([{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }]);
    const end = [
      chunk([{ index: 0, delta: {}, finish_reason: finish }]),
      chunk([], { usage: USAGE }),
      'data: [DONE]',
    ];
    const { thought, held } = 'text' in turn ? turn : {};
    const start = [...(thought === undefined ? [] : [say({ reasoning_content: thought })]), say(message)];
    if (held === undefined) return streamReply([...start, ...end]);
    return streamReply(start, { until: held.until, events: [say({ content: held.rest }), ...end] });
  },

  answerOther(path): ModelReply {
    if (path.startsWith('/v1/models')) return jsonReply({ object: 'list', data: [] });
    return jsonReply({ error: { message: 'scripted model', type: 'not_found' } }, 404);
  },

  toolResults(body) {
    return pickList(body, 'messages')
      .filter((message) => pick(message, 'role') === 'tool')
      .map((message) => {
        const content = pick(message, 'content');
        if (typeof content === 'string') return content;
        return pickList(content)
          .map((part) => pickText(part, 'text'))
          .join('\n');
      });
  },
};

function messageOf(turn: SpokenTurn): object {
  if ('text' in turn) return { content: turn.text };
  const calls = turn.calls.map(({ name, input }, index) => ({
    index,
    id: `call_${randomUUID()}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { tool_calls: calls };
}
