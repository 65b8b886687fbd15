import { connect, type Socket } from 'node:net';

/** What a socket received, and how it ended. */
export interface RawAnswer {
  readonly text: string;
  /** Of the first response. */
  readonly status: number;
}

/** Sends bytes as they are and reads until the server closes or the first response is complete. */
export async function sendRaw(port: number, ...chunks: (string | Uint8Array)[]): Promise<RawAnswer> {
  const socket = await openSocket(port);
  for (const chunk of chunks) socket.write(chunk);
  const isHead = chunks[0]?.toString().startsWith('HEAD ') ?? false;
  return readAnswer(socket, isHead);
}

export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** @param isHead whether the answer is to HEAD and has no body, whatever its length says */
export function readAnswer(socket: Socket, isHead = false): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = '';
    const done = (): void => {
      socket.destroy();
      resolve({ text, status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0) });
    };
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (isHead ? text.includes('\r\n\r\n') : isComplete(text)) done();
    });
    socket.on('error', done);
    socket.on('close', done);
    socket.resume();
  });
}

function isComplete(text: string): boolean {
  const [head, body] = text.split('\r\n\r\n', 2);
  const length = /content-length: (\d+)/i.exec(head ?? '')?.[1];
  if (/transfer-encoding: chunked/i.test(head ?? '')) return text.endsWith('\r\n0\r\n\r\n');
  return length !== undefined && body !== undefined && body.length >= Number(length);
}

/** A request head with these header lines. */
export function requestHead(line: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line}\r\n${lines.join('')}\r\n`;
}
