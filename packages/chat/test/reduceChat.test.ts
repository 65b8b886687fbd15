import { describe, expect, it } from 'vitest';
import { applyChatPatches, type ChatItem, type ChatModel, emptyChat } from '../src/model/index.js';
import { reduceChat } from '../src/model/reduceChat.js';
import { recording, recordingClient } from './recording.js';

const own = new Set([recordingClient]);
const live = recording('conversation.live');
const sessionId = 's';

function update(fields: object, promptId = 'p'): unknown {
  return { type: 'session_update', promptId, data: { sessionId, update: fields } };
}

function text(sessionUpdate: string, words: string, promptId?: string): unknown {
  return update({ sessionUpdate, content: { type: 'text', text: words } }, promptId);
}

function chatOf(...events: unknown[]): ChatModel {
  return reduceChat(emptyChat, events, own).model;
}

describe('a recorded conversation', () => {
  it('produces the reviewed chat', async () => {
    const { model } = reduceChat(emptyChat, live, own);
    await expect(`${JSON.stringify(model, undefined, 2)}\n`).toMatchFileSnapshot(
      'recordings/conversation.model.json',
    );
  });

  it('produces the same chat event by event, at once and by patches', () => {
    let one = emptyChat;
    let mirror = emptyChat;
    for (const event of live) {
      const { model, patches } = reduceChat(one, [event], own);
      one = model;
      mirror = applyChatPatches(mirror, JSON.parse(JSON.stringify(patches)) as typeof patches);
    }
    const { model, patches } = reduceChat(emptyChat, live, own);
    expect(one).toEqual(model);
    expect(mirror).toEqual(model);
    expect(applyChatPatches(emptyChat, patches)).toEqual(model);
  });

  it('produces the same chat from the compacted history [DMN-23]', () => {
    const late = reduceChat(emptyChat, recording('conversation.history'), own).model;
    const { model } = reduceChat(emptyChat, live, own);
    const withoutTime = ({ items, ...rest }: ChatModel) => ({
      ...rest,
      items: items.map(({ at: _at, ...item }: ChatItem) => item),
    });
    expect(withoutTime(late)).toEqual(withoutTime(model));
  });

  it('does not mutate the given chat', () => {
    let model = emptyChat;
    for (const event of live) {
      const before = JSON.stringify(model);
      const next = reduceChat(model, [event], own).model;
      expect(JSON.stringify(model)).toBe(before);
      model = next;
    }
  });
});

describe('texts', () => {
  it('in sequence become one message and one patch', () => {
    const start = chatOf(text('user_message_chunk', 'q'), text('agent_message_chunk', 'a'));
    const { model, patches } = reduceChat(start, [
      text('agent_message_chunk', 'b'),
      text('agent_message_chunk', 'c'),
    ]);
    expect(patches).toEqual([{ op: 'append', id: 1, text: 'bc' }]);
    expect(model.items[1]).toMatchObject({ kind: 'assistant', text: 'abc' });
  });

  it('of a sub-agent are separate from those of the agent', () => {
    const inner = update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'inner' },
      _meta: { parentToolCallId: 'task' },
    });
    const model = chatOf(text('agent_message_chunk', 'outer'), inner);
    expect(model.items).toMatchObject([{ text: 'outer' }, { text: 'inner', parentToolCallId: 'task' }]);
  });

  it('of a prompt with several blocks become one message', () => {
    const image = update({
      sessionUpdate: 'user_message_chunk',
      content: { type: 'image', data: 'AA==', mimeType: 'image/png' },
    });
    const model = chatOf(text('user_message_chunk', 'Look'), image, text('user_message_chunk', 'here'));
    expect(model.items).toMatchObject([
      { kind: 'user', text: 'Look\nhere', images: [{ data: 'AA==', mimeType: 'image/png' }] },
    ]);
  });
});

describe('a turn', () => {
  it('of another prompt does not end the running one', () => {
    const model = chatOf(text('user_message_chunk', 'q', 'mine'), {
      type: 'turn_complete',
      data: { sessionId, promptId: 'other', stopReason: 'end_turn' },
    });
    expect(model.turn).toMatchObject({ state: 'running', promptId: 'mine' });
  });

  it('that ends leaves no unfinished tool and no pending request', () => {
    const call = { toolCallId: 't', title: 'Run', kind: 'execute', status: 'pending' };
    const model = chatOf(
      text('user_message_chunk', 'q'),
      {
        type: 'permission_request',
        promptId: 'p',
        data: { requestId: 'r', sessionId, toolCall: call, options: [] },
      },
      { type: 'turn_error', promptId: 'p', data: { sessionId, message: 'gone' } },
    );
    expect(model).toMatchObject({ turn: { state: 'idle' }, pending: [] });
    expect(model.items[1]).toMatchObject({ kind: 'tool', status: 'failed' });
    expect(model.items[1]).not.toHaveProperty('requestId');
  });

  it('that follows another is queued until it starts', () => {
    const queued = { type: 'pending_prompt_added', data: { sessionId, promptId: 'second', text: 'then' } };
    const started = { type: 'pending_prompt_started', data: { sessionId, promptId: 'second', text: 'then' } };
    const before = chatOf(text('user_message_chunk', 'q'), queued);
    expect(before.turn).toEqual({
      state: 'running',
      promptId: 'p',
      queued: [{ promptId: 'second', text: 'then' }],
    });
    expect(reduceChat(before, [started]).model.turn).toMatchObject({ promptId: 'second', queued: [] });
  });
});

describe('a queued prompt that is removed', () => {
  it('leaves the queue; the running turn continues without a notice', () => {
    const model = chatOf(
      text('user_message_chunk', 'q'),
      { type: 'pending_prompt_added', data: { sessionId, promptId: 'second', text: 'then' } },
      { type: 'pending_prompt_completed', data: { sessionId, promptId: 'second', state: 'removed' } },
      {
        type: 'turn_complete',
        promptId: 'second',
        data: { sessionId, promptId: 'second', stopReason: 'cancelled' },
      },
    );
    expect(model.turn).toEqual({ state: 'running', promptId: 'p', queued: [] });
    expect(model.items.map(({ kind }) => kind)).toEqual(['user']);
  });
});

describe('a rewound session', () => {
  const rewound = (targetTurnIndex: unknown) => ({
    type: 'session_rewound',
    data: { sessionId, targetTurnIndex },
  });
  const said = [text('user_message_chunk', 'one', 'p1'), text('agent_message_chunk', 'first', 'p1')];
  const forgotten = [text('user_message_chunk', 'two', 'p2'), text('agent_message_chunk', 'second', 'p2')];

  it('drops the message and everything after it', () => {
    const before = chatOf(...said, ...forgotten);
    const { model, patches } = reduceChat(
      before,
      [rewound(1), text('user_message_chunk', 'three', 'p3')],
      own,
    );
    expect(model.items.map((item) => [item.id, 'text' in item && item.text])).toEqual([
      [0, 'one'],
      [1, 'first'],
      [2, 'three'],
    ]);
    expect(applyChatPatches(before, patches)).toEqual(model);
    expect(before.items).toHaveLength(4);
  });

  it('stays unchanged if the message does not exist', () => {
    const before = chatOf(...said);
    for (const index of [1, -1, 'x']) expect(reduceChat(before, [rewound(index)], own).model).toBe(before);
  });
});

describe('an unreadable event', () => {
  it.each([
    ['no object', 7],
    ['an unknown type', { type: 'of_tomorrow', data: {} }],
    ["a name of every object's", { type: 'constructor', data: {} }],
    ['an update without a kind', { type: 'session_update', data: { update: {} } }],
    ['a tool call without an id', update({ sessionUpdate: 'tool_call' })],
    [
      'a request without options',
      { type: 'permission_request', data: { requestId: 'r', toolCall: { toolCallId: 't' } } },
    ],
    ['an answer to nothing', { type: 'permission_resolved', data: { requestId: 'r' } }],
  ])('changes nothing: %s', (_name, event) => {
    expect(reduceChat(emptyChat, [event])).toEqual({ model: emptyChat, patches: [] });
  });
});

describe('a long conversation', () => {
  it('produces as few patches for the thousandth turn as for the tenth', () => {
    const turn = (n: number) => [
      text('user_message_chunk', 'q', `p${n}`),
      text('agent_message_chunk', 'a', `p${n}`),
      { type: 'turn_complete', data: { sessionId, promptId: `p${n}`, stopReason: 'end_turn' } },
    ];
    const sizes: number[] = [];
    let model = emptyChat;
    for (let n = 0; n < 1_000; n += 1) {
      const reduced = reduceChat(model, turn(n));
      model = reduced.model;
      sizes.push(JSON.stringify(reduced.patches).length);
    }
    expect(model.items).toHaveLength(2_000);
    // Only ids and numbers of prompts have more digits.
    expect((sizes.at(-1) ?? 0) - (sizes[9] ?? 0)).toBeLessThan(30);
  });
});
