import type { ChatToolCard } from '@tandem/chat/model';
import { expect, it } from 'vitest';
import { toolState, toolWords } from '../src/chat/chatWords.js';

const failed: ChatToolCard = {
  kind: 'tool',
  id: 1,
  toolCallId: 't',
  toolKind: 'think',
  title: 'A tool',
  status: 'failed',
  content: [],
  locations: [],
};
const declined = { isAllowed: false, isElsewhere: false };

it.each<[string, Partial<ChatToolCard>, string, string]>([
  ['a tool that failed', {}, 'failed', 'failed'],
  [
    'one that failed after it was allowed',
    { decision: { ...declined, isAllowed: true } },
    'failed',
    'failed, Allowed',
  ],
  ['a change that the user rejected', { decision: declined }, 'declined', 'Rejected'],
  [
    'a question that was skipped',
    { toolName: 'ask_user_question', decision: declined },
    'declined',
    'Skipped',
  ],
  [
    'a question that another client skipped',
    { toolName: 'ask_user_question', decision: { ...declined, isElsewhere: true } },
    'declined',
    'Skipped elsewhere',
  ],
  ['a question of a history from the disk', { toolName: 'ask_user_question' }, 'declined', 'skipped'],
  [
    'a request that was refused',
    { toolName: 'ask_user_question', refusal: 'it asks nothing', decision: declined },
    'failed',
    'failed, Refused',
  ],
  ['what asks', { status: 'pending', requestId: 'r' }, 'asks', 'needs your answer'],
])('shows %s as what it is', (_name, part, kind, words) => {
  const card = { ...failed, ...part };
  expect(toolState(card).kind).toBe(kind);
  expect(toolWords(card)).toBe(words);
});
