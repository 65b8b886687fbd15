import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { silentLogger } from '@tandem/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/anyCharacter.js';
import { Connection } from '../src/connection.js';
import { FrameReader, type Framing, frame } from '../src/frames.js';

/** The messages in a stream of bytes, cut into chunks of this size. */
function read(bytes: Buffer, chunk: number, maxBytes = 1_000): { messages: string[]; problems: number[] } {
  const messages: string[] = [];
  const problems: number[] = [];
  const reader = new FrameReader({
    maxBytes,
    onMessage: (json) => messages.push(json),
    onProblem: ({ code }) => problems.push(code),
  });
  for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk));
  return { messages, problems };
}

describe.each<Framing>(['headers', 'lines'])('messages with %s', (framing) => {
  it('arrive as they were sent, however they are cut', () => {
    const message = fc.record({ jsonrpc: fc.constant('2.0'), params: fc.string({ unit: anyCharacter }) });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1 }), fc.integer({ min: 1, max: 50 }), (sent, chunk) => {
        const texts = sent.map((each) => JSON.stringify(each));
        const bytes = Buffer.from(texts.map((text) => frame(text, framing)).join(''));
        expect(read(bytes, chunk, 100_000)).toEqual({ messages: texts, problems: [] });
      }),
      { numRuns: 30 },
    );
  });

  it('are skipped if they are too large, and the next one arrives', () => {
    const bytes = Buffer.from(frame(`"${'x'.repeat(5_000)}"`, framing) + frame('{}', framing));
    for (const chunk of [7, 10_000])
      expect(read(bytes, chunk)).toEqual({ messages: ['{}'], problems: [-32600] });
  });
});

describe('messages with headers', () => {
  it('are found again after a wrong length, and after what is no header', () => {
    const good = frame('{"good":1}', 'headers');
    const short = `Content-Length: 3\r\n\r\n{"jsonrpc":"2.0"}`;
    expect(read(Buffer.from(short + good), 5).messages).toEqual(['{"j', '{"good":1}']);
    const noise = `Content-Type: x\r\n\r\n${'noise'.repeat(5_000)}`;
    const { messages, problems } = read(Buffer.from(noise + good), 1_000);
    expect(messages).toEqual(['{"good":1}']);
    expect(new Set(problems)).toEqual(new Set([-32700]));
  });
});

describe('a connection', () => {
  it('sends no lone surrogate, and other text as it is', async () => {
    const output = new PassThrough();
    const serve = async () => ({ result: null });
    const connection = new Connection({ input: new PassThrough(), output, serve, logger: silentLogger });
    connection.release();
    connection.notify('message', { message: 'a\ud800b \\ud800 😀' });
    const [, params = ''] = /"params":(.*)\}$/m.exec(String(output.read())) ?? [];
    expect(params).toBe(JSON.stringify({ message: 'a\ufffdb \\ud800 😀' }));
    connection.dispose();
  });

  it('takes null as an absent member of an answer', async () => {
    const input = new PassThrough();
    const serve = async () => ({ result: null });
    const connection = new Connection({ input, output: new PassThrough(), serve, logger: silentLogger });
    const asked = [1, 2, 3].map(() => connection.ask('document/open', {}));
    const answer = (members: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...members })}\n`);
    answer({ id: 1, result: null, error: null });
    answer({ id: 2, result: true, error: null });
    answer({ id: 3, result: null, error: { code: -32000, message: 'It is busy.', data: null } });
    expect(await Promise.allSettled(asked)).toMatchObject([
      { value: null },
      { value: true },
      { reason: { message: 'It is busy.' } },
    ]);
    connection.dispose();
  });

  it('ends when the other side does not read [EDT-24]', async () => {
    const stuck = new Writable({ write: () => {}, decodeStrings: false });
    const connection = new Connection({
      input: new PassThrough(),
      output: stuck,
      serve: async () => ({ result: null }),
      logger: silentLogger,
      maxUnreadBytes: 10_000,
    });
    connection.release();
    const pending = connection.ask('document/open', {});
    let hasEnded = false;
    connection.onDidEnd(() => {
      hasEnded = true;
    });
    for (let sent = 0; !hasEnded && sent < 20; sent++)
      connection.notify('message', { text: 'x'.repeat(1_000) });
    expect(hasEnded).toBe(true);
    await expect(pending).rejects.toThrow('The editor has ended.');
    connection.dispose();
  });

  it('ends when it stays busy, because then the end of the other side is not noticed [EDT-24]', async () => {
    const input = new PassThrough();
    const connection = new Connection({
      input,
      output: new PassThrough(),
      serve: () => new Promise(() => {}),
      logger: silentLogger,
      busyLimitMs: 10,
    });
    const ended = new Promise<void>((resolve) => connection.onDidEnd(resolve));
    for (let id = 0; id < 100; id++) input.write('{"jsonrpc":"2.0","id":1,"method":"status"}\n');
    await ended;
    connection.dispose();
  });

  it('reads nothing more while too many requests are unanswered [EDT-24]', async () => {
    const input = new PassThrough({ highWaterMark: 1024 * 1024 });
    const answers: (() => void)[] = [];
    const output = new PassThrough();
    const connection = new Connection({
      input,
      output,
      serve: () => new Promise((resolve) => answers.push(() => resolve({ result: null }))),
      logger: silentLogger,
    });
    const request = (id: number): string =>
      frame(JSON.stringify({ jsonrpc: '2.0', id, method: 'status' }), 'lines');
    for (let id = 0; id < 150; id++) {
      input.write(request(id));
      await new Promise(setImmediate);
    }
    expect(answers).toHaveLength(100);
    expect(input.isPaused()).toBe(true);
    const resumed = once(input, 'resume');
    for (const answer of answers.splice(0)) answer();
    await resumed;
    await expect.poll(() => answers.length).toBe(50);
    connection.dispose();
  });
});
