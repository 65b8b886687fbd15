import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { formatBytes } from './limits.js';
import { rpcCode } from './rpcError.js';

/** A serialised message that fits into a frame, and whether it had to be replaced to do so. */
export interface FittedFrame {
  /** Undefined when the message is dropped: a notification that does not fit has no substitute. */
  readonly text: string | undefined;
  /** Bytes of the original message. */
  readonly bytes: number;
  readonly fits: boolean;
}

/**
 * Serialises a message for one frame of at most `limit` bytes. An answer that is larger becomes a clear error
 * instead, because Claude Code closes the connection above 16 MiB and the call would never be answered.
 *
 * @param answers the method of the request that this message answers
 */
export function fitFrame(message: JSONRPCMessage, answers: string | undefined, limit: number): FittedFrame {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  if (bytes <= limit) return { text, bytes, fits: true };
  if ('method' in message || message.id === undefined) return { text: undefined, bytes, fits: false };
  const explanation = `The answer has ${formatBytes(bytes)}, more than the ${formatBytes(limit)} that one message may have.`;
  const substitute =
    answers === 'tools/call'
      ? { result: { content: [{ type: 'text', text: explanation }], isError: true } }
      : { error: { code: rpcCode.internalError, message: explanation } };
  return { text: JSON.stringify({ jsonrpc: '2.0', id: message.id, ...substitute }), bytes, fits: false };
}
