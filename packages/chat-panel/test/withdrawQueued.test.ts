import { emptyChat } from '@tandem/chat/model';
import { expect, it } from 'vitest';
import type { ChatHost } from '../src/chat/chatHost.js';
import { mentionInDraft, sendDraft, withdrawQueued } from '../src/chat/draft.js';
import { PanelState } from '../src/chat/panelState.js';

const model = { ...emptyChat, connection: { state: 'connected' as const } };
const image = { key: 1, mimeType: 'image/png', data: 'AA==' };

/** A host that accepts every message, and removes a queued one or not. */
function queueingHost({ isRemoved }: { isRemoved: boolean }): Pick<ChatHost, 'state' | 'call'> {
  return {
    state: { model, setup: { isOwn: false, isStarting: false }, link: 'open' },
    call: async (method) => (method === 'chat.unqueue' ? { isRemoved } : { isRewound: false }) as never,
  };
}

it('puts a queued message back into the composer with all that went along, before what is typed there', async () => {
  const host = queueingHost({ isRemoved: true });
  const panel = new PanelState();
  mentionInDraft(panel, { path: '/w/a.ts', label: 'a.ts', lines: { first: 1, last: 3 } });
  panel.set({ draft: `${panel.values.draft}explain `, images: [image] });
  const { mentions } = panel.values;
  await sendDraft(host, panel);
  panel.set({ draft: 'next' });
  await withdrawQueued(host, panel, { promptId: 'p', text: '@a.ts:2-4 explain' }, 'edit');
  expect(panel.values).toMatchObject({ draft: '@a.ts:2-4 explain\n\nnext', mentions, images: [image] });
});

it('puts the words of another client back, and a removed message nowhere', async () => {
  const panel = new PanelState();
  await withdrawQueued(queueingHost({ isRemoved: true }), panel, { promptId: 'p', text: 'theirs' }, 'edit');
  expect(panel.values.draft).toBe('theirs');
  await withdrawQueued(queueingHost({ isRemoved: true }), panel, { promptId: 'q', text: 'gone' }, 'remove');
  expect(panel.values.draft).toBe('theirs');
});

it('leaves a message where it is that is being answered by now', async () => {
  const panel = new PanelState();
  await withdrawQueued(queueingHost({ isRemoved: false }), panel, { promptId: 'p', text: 'late' }, 'edit');
  expect(panel.values.draft).toBe('');
  expect(panel.values.announcement.text).toBe('The message is no longer queued.');
});

it('mentions a file behind what is being written, once', () => {
  const panel = new PanelState();
  panel.set({ draft: 'Look at' });
  mentionInDraft(panel, { path: '/w/my file.ts', label: 'my file.ts' });
  mentionInDraft(panel, { path: '/w/my file.ts', label: 'my file.ts' });
  const token = '@"my file.ts"';
  expect(panel.values.draft).toBe(`Look at ${token} ${token} `);
  expect(panel.values.mentions).toEqual([{ path: '/w/my file.ts', token }]);
});
