import { afterEach, expect, test } from 'vitest';
import { createListener, type LoopbackListener } from '../src/index.js';
import { HttpClient } from './support/httpClient.js';
import { recordingEndpoint } from './support/recordingEndpoint.js';
import { tokenHeader, WebSocketClient } from './support/webSocketClient.js';

let listener: LoopbackListener;
afterEach(() => listener.close());

test('http', async () => {
  listener = await createListener();
  const e = recordingEndpoint();
  e.onStreamOpen = (s) => void s.notify('ide/contextUpdate', { first: true });
  listener.addHttpEndpoint(e);
  const c = new HttpClient(listener, e.token);
  const init = await c.initialize();
  console.log(init.status, JSON.stringify(init.message));
  console.log((await c.notify('notifications/initialized')).status);
  console.log(JSON.stringify((await c.request('tools/list')).message).slice(0, 300));
  console.log(JSON.stringify((await c.call('echo', { text: 'hi' })).message));
  console.log(JSON.stringify((await c.call('echo', { text: 1 })).message));
  console.log(JSON.stringify((await c.call('crash')).message));
  console.log(JSON.stringify((await c.call('nope')).message));
  console.log(JSON.stringify((await c.request('prompts/list')).message));
  console.log(JSON.stringify((await c.request('server/discover')).message));
  const s = await c.stream();
  await s.signals.until(() => s.events.length > 0);
  console.log(s.status, s.events);
  await e.sessions[0]?.notify('x', { a: 1 });
  await s.signals.until(() => s.events.length > 1);
  const d = await c.send('DELETE');
  console.log(d.status, await s.ended, e.ends, e.answered);
});

test('ws', async () => {
  listener = await createListener();
  const e = recordingEndpoint();
  e.onStreamOpen = (s) => void s.notify('ide/contextUpdate', { first: true });
  listener.addWebSocketEndpoint({ ...e, tokenHeader, onSession: e.onSession });
  const c = await WebSocketClient.connect(listener, { token: e.token });
  await c.next((m) => m.method === 'ide/contextUpdate');
  console.log(JSON.stringify(await c.call('echo', { text: 'hi' })));
  console.log(JSON.stringify(await c.call('big', { bytes: 17e6 })));
  const bad = new WebSocketClient(listener, { token: 'x' });
  console.log(await bad.closed);
  await listener.close();
  console.log(await c.closed, e.ends, e.answered);
});
