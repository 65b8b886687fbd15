import type { FileHandle } from 'node:fs/promises';

/** A larger file is not written by Tandem, because it is compared as a whole. */
export const maxWrittenBytes = 64 * 1024 * 1024;

/**
 * Writes all bytes at a position. On a nearly full disk one write may write only a part and report no error: only the next one fails.
 * Rejects with the file system's error.
 */
export async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at);
    if (bytesWritten === 0) throw new Error(`only ${at} of ${bytes.length} bytes were written`);
    at += bytesWritten;
  }
}

/** Writes the whole content of a new file. Resolves when it is on the disk with its full length. */
export async function writeWhole(handle: FileHandle, bytes: Buffer): Promise<void> {
  await writeAt(handle, bytes, 0);
  await handle.sync();
  const { size } = await handle.stat();
  if (size !== bytes.length) throw new Error(`it has ${size} of ${bytes.length} bytes after the write`);
}

/** Reads the whole content from the beginning. */
export async function readWhole(handle: FileHandle): Promise<Buffer> {
  const { size } = await handle.stat();
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
