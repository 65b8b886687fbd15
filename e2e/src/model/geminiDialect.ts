import { pick, pickList, pickText } from '../json.js';
import { type Dialect, jsonReply, type ModelReply, type SpokenTurn, streamReply } from './turn.js';

const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

/** The Gemini API: the conversation streams and offers tools, all background work uses `generateContent`. */
export const geminiDialect: Dialect = {
  name: 'gemini',

  classify(method, path, body) {
    if (method !== 'POST') return 'other';
    if (path.includes(':streamGenerateContent')) {
      return pickList(body, 'tools').length > 0 ? 'conversation' : 'side';
    }
    return path.includes(':generateContent') ? 'side' : 'other';
  },

  answer(turn, path) {
    const reply = {
      candidates: [{ content: { role: 'model', parts: partsOf(turn) }, finishReason: 'STOP', index: 0 }],
      usageMetadata: USAGE,
    };
    return path.includes(':stream') ? streamReply([`data: ${JSON.stringify(reply)}`]) : jsonReply(reply);
  },

  answerOther(path): ModelReply {
    if (path.includes(':countTokens')) return jsonReply({ totalTokens: 10 });
    return jsonReply({ error: { code: 404, message: 'scripted model', status: 'NOT_FOUND' } }, 404);
  },

  toolResults(body) {
    return pickList(body, 'contents')
      .flatMap((content) => pickList(content, 'parts'))
      .map((part) => pick(part, 'functionResponse', 'response'))
      .filter((response) => response !== undefined)
      .map((response) => pickText(response, 'output') || JSON.stringify(response));
  },
};

function partsOf(turn: SpokenTurn): unknown[] {
  if ('text' in turn) return [{ text: turn.text }];
  return turn.calls.map(({ name, input }) => ({ functionCall: { name, args: input } }));
}
