import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { onDisk, readBoundedFile } from '@tandem/companion/files';
import { describeError, visibleName } from '@tandem/core';
import { CommandError, exitCode } from './exitCode.js';

/** Larger than any review. */
const maxBytes = 128 * 1024 * 1024;

/**
 * Reads the text for a review from a file or, for `-`, from standard input. Throws `CommandError` if it is not UTF-8.
 */
export async function readContent(file: string): Promise<string> {
  const name = file === '-' ? 'Standard input' : visibleName(file);
  let bytes: Buffer;
  try {
    bytes = file === '-' ? await readStream(process.stdin) : await readNamedFile(file, maxBytes);
  } catch (cause) {
    throw new CommandError(`${name} cannot be read: ${describeError(cause)}`, exitCode.failed, { cause });
  }
  if (!isUtf8(bytes)) throw new CommandError(`${name} is not UTF-8 text; a review needs UTF-8.`);
  return bytes.toString('utf8');
}

/** Reads a file that the user named. Waits for a pipe: `<(program)` is a pipe in most shells. */
export async function readNamedFile(file: string, limit: number): Promise<Buffer> {
  if ((await onDisk(file, () => stat(file))).isFIFO()) return readStream(createReadStream(file), limit);
  return (await readBoundedFile(file, { maxBytes: limit })).bytes;
}

async function readStream(stream: AsyncIterable<Buffer>, limit = maxBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) throw new Error(`it has more than ${limit} bytes`);
  }
  return Buffer.concat(chunks);
}
