import { emptyChat } from '@tandem/chat/model';
import { expect, it } from 'vitest';
import type { ChatHost } from '../src/chat/chatHost.js';
import { sendDraft } from '../src/chat/draft.js';
import { PanelState } from '../src/chat/panelState.js';

const image = (key: number) => ({ key, mimeType: 'image/png', data: 'AA==' });
const mention = { token: '@a.ts', path: '/w/a.ts' };

/** A host whose next message is not sent, but fails when the test says so. */
function failingHost() {
  let fail = (): void => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = () => reject(new Error('The daemon is gone.'));
  });
  const model = { ...emptyChat, connection: { state: 'connected' as const } };
  const host: Pick<ChatHost, 'state' | 'call'> = {
    state: { model, setup: { isOwn: false, isStarting: false }, link: 'open' },
    call: () => failed,
  };
  return { host, fail };
}

it('puts a message that was not sent before what was typed meanwhile', async () => {
  const { host, fail } = failingHost();
  const panel = new PanelState();
  panel.set({ draft: 'first @a.ts', mentions: [mention], images: [image(1)], edited: 3 });
  const sending = sendDraft(host, panel);
  expect(panel.values.draft).toBe('');
  panel.set({ draft: 'second', images: [image(2)] });
  fail();
  await sending;
  expect(panel.values).toMatchObject({
    draft: 'first @a.ts\n\nsecond',
    mentions: [mention],
    images: [image(1), image(2)],
    edited: undefined,
    failure: 'The message was not sent: The daemon is gone.',
  });
});

it('puts it back as it was when nothing was typed', async () => {
  const { host, fail } = failingHost();
  const panel = new PanelState();
  panel.set({ draft: 'first', edited: 3 });
  const sending = sendDraft(host, panel);
  fail();
  await sending;
  expect(panel.values).toMatchObject({ draft: 'first', edited: 3 });
});
