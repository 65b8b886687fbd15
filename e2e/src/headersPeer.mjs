/**
 * Connects a test driver that sends one message per line to a program that expects `Content-Length` headers:
 *
 *     node headersPeer.mjs node check.mjs
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const headEnd = '\r\n\r\n';
const [file, ...args] = process.argv.slice(2);
const driver = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
driver.once('exit', (code) => process.exit(code ?? 1));
createInterface({ input: driver.stdout }).on('line', (line) => {
  process.stdout.write(`Content-Length: ${Buffer.byteLength(line)}${headEnd}${line}`);
});
let received = Buffer.alloc(0);
process.stdin
  .on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (passOn());
  })
  .on('end', () => driver.stdin.end());

/** Whether there was a whole message. */
function passOn() {
  const head = received.indexOf(headEnd);
  const [, length] = /Content-Length: (\d+)/.exec(received.toString('latin1', 0, Math.max(head, 0))) ?? [];
  const start = head + headEnd.length;
  const end = start + Number(length);
  if (head < 0 || received.length < end) return false;
  driver.stdin.write(`${received.subarray(start, end)}\n`);
  received = received.subarray(end);
  return true;
}
