import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { describeError } from '@tandem/core';
import { CommandError, exitCode } from './exitCode.js';
import { visible } from './visible.js';

/**
 * Reads a text that a person wants a review to have, from a file or, for `-`, from standard input. Throws
 * `CommandError` when it is not UTF-8: it could not be kept exactly.
 */
export async function readContent(file: string): Promise<string> {
  const name = file === '-' ? 'Standard input' : visible(file);
  let bytes: Buffer;
  try {
    bytes = file === '-' ? await readStandardInput() : await readFile(file);
  } catch (cause) {
    throw new CommandError(`${name} cannot be read: ${describeError(cause)}`, exitCode.failed, { cause });
  }
  if (!isUtf8(bytes)) throw new CommandError(`${name} is not UTF-8 text, which a review cannot take.`);
  return bytes.toString('utf8');
}

async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks);
}
