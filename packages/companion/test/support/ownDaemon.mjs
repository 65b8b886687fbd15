import { createServer } from 'node:http';

/** Stands in for `qwen serve` as a program of its own. `POST /refuse` breaks its streams and refuses new ones until `POST /heal`. */
const streams = new Set();
let isRefusing = false;

const session = { sessionId: 'session-1', workspaceCwd: process.cwd(), clientId: 'client-1' };
const answers = {
  '/capabilities': { v: 1, mode: 'http-bridge', features: [], modelServices: [] },
  '/session': { ...session, attached: false },
  '/load': { ...session, compactedReplay: [], liveJournal: [], lastEventId: 0 },
};

const server = createServer((request, response) => {
  const path = new URL(request.url, 'http://daemon').pathname;
  const send = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (path === '/refuse' || path === '/heal') {
    isRefusing = path === '/refuse';
    if (isRefusing) for (const stream of streams) stream.destroy();
    send(200, {});
  } else if (path.endsWith('/events') && isRefusing) send(401, {});
  else if (path.endsWith('/events')) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-qwen-event-epoch': 'one' });
    response.flushHeaders();
    streams.add(response);
  } else {
    const known = Object.entries(answers).find(([end]) => path.endsWith(end));
    send(200, known?.[1] ?? { ...session, v: 1, state: {}, pendingInteractions: [] });
  }
});
server.listen(0, '127.0.0.1', () => {
  const address = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`process ${process.pid}\nqwen serve listening on ${address}\n`);
});
