import { createInterface } from 'node:readline';
import { request as httpRequest } from 'node:http';
import { type CompanionEvent, companionEvent } from '../companionEvent.js';
import { ControlError, type ControlMethod, type ControlParams, controlFailure } from './controlMethods.js';

/** Where a companion's control interface is, from its file in the state folder. */
export interface ControlAddress {
  readonly port: number;
  readonly token: string;
}

/** How long a call may take. The companion answers all of them at once, but a loaded machine is slow. */
const callLimitMs = 30_000;

/** Calls a running companion. Holds no connection, except while `follow` runs. */
export class ControlClient {
  readonly #address: ControlAddress;

  constructor(address: ControlAddress) {
    this.#address = address;
  }

  /**
   * One call. Rejects with `ControlError` when the companion says no, and with another error when it cannot be
   * reached. The caller knows what the method answers (`controlMethods.ts`).
   */
  async call<M extends ControlMethod>(method: M, params: ControlParams<M>): Promise<unknown> {
    const { status, text } = await this.#send('POST', `/control/${method}`, JSON.stringify(params));
    const answer: unknown = JSON.parse(text);
    if (status === 200 && typeof answer === 'object' && answer !== null && 'result' in answer) return answer.result;
    const failure = controlFailure.safeParse(answer);
    if (failure.success) throw new ControlError(failure.data.error.code, failure.data.error.message);
    throw new ControlError('internal', `The companion answered ${method} with HTTP ${status}.`);
  }

  /**
   * Hears the companion's events until `signal` aborts or the companion stops; then resolves. While this runs the
   * companion counts us as somebody who needs it.
   */
  async follow(hear: (event: CompanionEvent) => void, options: { readonly signal: AbortSignal; readonly onOpen?: () => void }): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const request = httpRequest(
        { ...this.#target('/control/events'), method: 'GET', signal: options.signal },
        (response) => {
          options.onOpen?.();
          const lines = createInterface({ input: response });
          lines.on('line', (line) => {
            const event = line === '' ? undefined : companionEvent.safeParse(JSON.parse(line));
            if (event?.success) hear(event.data);
          });
          response.once('close', () => resolve());
          response.once('error', () => resolve());
        },
      );
      request.once('error', (error) => (options.signal.aborted ? resolve() : reject(error)));
      request.end();
    });
  }

  #send(method: string, path: string, body: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const target = this.#target(path);
      const headers = { ...target.headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const request = httpRequest({ ...target, method, headers, timeout: callLimitMs }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
        response.once('error', reject);
      });
      request.once('timeout', () => request.destroy(new Error(`The companion did not answer within ${callLimitMs} ms.`)));
      request.once('error', reject);
      request.end(body);
    });
  }

  #target(path: string): { host: string; port: number; path: string; headers: Record<string, string> } {
    const { port, token } = this.#address;
    return { host: '127.0.0.1', port, path, headers: { authorization: `Bearer ${token}` } };
  }
}
