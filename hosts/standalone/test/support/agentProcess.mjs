/**
 * An agent in its own process, which a test can stop and continue: proposes a change, prints what it gets. Arguments:
 * `claude`, `gemini` or `copilot`, the address, the token, the file and the proposed text; or `opencode` or `kilo`, the address and the
 * token: these propose nothing and print each selection.
 */
import { request } from 'node:http';
import { WebSocket } from 'ws';

const [kind, url, token, path, content] = process.argv.slice(2);
const clientInfo = { name: kind, version: '1.0.0' };
const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
const say = (event, more = {}) => process.stdout.write(`${JSON.stringify({ event, ...more })}\n`);

if (kind === 'claude') overWebSocket();
else if (kind === 'gemini') await overHttp();
else if (kind === 'copilot') await overSocket();
else asGuest();

function asGuest() {
  const socket = new WebSocket(url, { headers: { 'X-Claude-Code-Ide-Authorization': token } });
  const send = (message) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  socket.on('open', () => send({ id: 0, method: 'initialize', params: hello }));
  socket.on('message', (data) => {
    const { id, method, params } = JSON.parse(String(data));
    if (id === 0) send({ method: 'notifications/initialized' });
    else if (method === 'selection_changed') say('selection', params);
  });
  socket.on('close', () => say('closed'));
}

function overWebSocket() {
  const socket = new WebSocket(url, ['mcp'], { headers: { 'X-Claude-Code-Ide-Authorization': token } });
  const send = (message) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const args = { old_file_path: path, new_file_path: path, new_file_contents: content, tab_name: path };
  socket.on('open', () => send({ id: 0, method: 'initialize', params: hello }));
  socket.on('message', (data) => {
    const { id, method, result } = JSON.parse(String(data));
    if (method === 'ping') send({ id, result: {} });
    else if (method === undefined && id === 0) {
      send({ method: 'notifications/initialized' });
      send({ id: 1, method: 'tools/call', params: { name: 'openDiff', arguments: args } });
    } else if (method === undefined && id === 1) say('answered', { content: result.content[1]?.text });
  });
  socket.on('close', () => say('closed'));
}

async function overHttp() {
  let session;
  const headers = () => ({
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(session && { 'mcp-session-id': session }),
  });
  const post = async (message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const response = await fetch(url, { method: 'POST', headers: headers(), body });
    session ??= response.headers.get('mcp-session-id');
    await response.text();
  };
  await post({ id: 0, method: 'initialize', params: hello });
  await post({ method: 'notifications/initialized' });
  const stream = await fetch(url, { headers: { ...headers(), accept: 'text/event-stream' } });
  await post({
    id: 1,
    method: 'tools/call',
    params: { name: 'openDiff', arguments: { filePath: path, newContent: content } },
  });
  let text = '';
  for await (const chunk of stream.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const line = text.split('\n').find((each) => each.includes('ide/diffAccepted'));
    if (line === undefined) continue;
    say('answered', { content: JSON.parse(line.slice('data: '.length)).params.content });
    text = '';
  }
  say('closed');
}

/** Writes its own text when it is accepted, whatever the user typed. */
async function overSocket() {
  let session;
  const send = (method, message) =>
    new Promise((resolve, reject) => {
      const headers = {
        host: 'localhost',
        authorization: `Nonce ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'x-copilot-session-id': 'a3c1',
        'x-copilot-pid': String(process.pid),
        ...(session && { 'mcp-session-id': session }),
      };
      const asking = request({ socketPath: url, path: '/mcp', method, headers, agent: false }, resolve);
      asking.once('error', reject).end(message && JSON.stringify({ jsonrpc: '2.0', ...message }));
    });
  const post = async (message) => {
    const response = await send('POST', message);
    session ??= response.headers['mcp-session-id'];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return text;
  };
  await post({ id: 0, method: 'initialize', params: hello });
  await post({ method: 'notifications/initialized' });
  const stream = await send('GET');
  stream.resume().once('close', () => say('closed'));
  const args = { original_file_path: path, new_file_contents: content, tab_name: path };
  const answer = await post({ id: 1, method: 'tools/call', params: { name: 'open_diff', arguments: args } });
  if (answer.includes('SAVED')) say('answered', { content });
}
