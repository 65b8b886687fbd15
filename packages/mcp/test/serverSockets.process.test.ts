import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createListener } from '../src/index.js';
import { recordingEndpoint } from './support/recordingEndpoint.js';

/** Sends two requests over one connection, the second one on a signal, and prints the results. */
const client = `
  const [port, token] = process.argv.slice(1);
  const socket = require('node:net').connect(Number(port), '127.0.0.1');
  const ask = () => socket.write('GET /identity HTTP/1.1\\r\\nhost: 127.0.0.1:' + port + '\\r\\nauthorization: Bearer ' + token + '\\r\\n\\r\\n');
  let text = '';
  socket.on('connect', ask).on('error', () => {});
  socket.on('data', (data) => { text += data; process.stdout.write(String(text.split('200 OK').length - 1)); });
  socket.on('close', () => process.stdout.write('closed'));
  process.stdin.on('data', ask).on('end', () => socket.destroy());
`;

test('a request that arrived on an idle connection while this process was stopped is answered', async () => {
  const endpoint = recordingEndpoint();
  const listener = await createListener({ timing: { idleConnectionMs: 1_000 } });
  listener.addHttpEndpoint(endpoint);
  const child = spawn(process.execPath, ['-e', client, String(listener.port), endpoint.token], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await expect.poll(() => said, { timeout: 10_000 }).toBe('1');
    child.stdin.write('now');
    // Written before the pause; the other process sends its request while this one is stopped.
    await new Promise((resolve) => child.stdin.write('', resolve));
    for (const until = performance.now() + 3_000; performance.now() < until; );
    await expect.poll(() => said, { timeout: 10_000 }).toBe('12');
    // Without requests, the connection is closed as before.
    await expect.poll(() => said, { timeout: 10_000 }).toBe('12closed');
  } finally {
    child.stdin.end();
    child.kill();
    await once(child, 'close');
    await listener.close();
  }
});
