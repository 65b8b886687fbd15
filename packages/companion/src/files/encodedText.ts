import { isUtf8 } from 'node:buffer';
import { RpcError } from '@tandem/rpc';
import type Iconv from 'iconv-lite';
import { nameOfBytes } from './exactContent.js';
import { nextTurn } from './pausing.js';

/** A text, and its encoding unless that is UTF-8. A byte order mark is part of the text. */
export interface EncodedText {
  readonly text: string;
  readonly encoding?: string;
}

/** Bytes, or characters, that are converted or examined without a pause. */
const sliceSize = 256 * 1024;
/** Bytes in UTF-8 that are decoded without a pause, because that is fast. */
const unslicedSize = 1024 * 1024;
/** So many bytes show the encoding. The search is slow. */
const sampleSize = 8 * 1024;
/** The first search of the process takes this many bytes, each further one twice as many. */
const firstSampleSize = 512;
/** A larger file in an encoding other than Unicode is not decoded: it takes seconds. */
const maxLegacyBytes = 16 * 1024 * 1024;
/** Fewer characters, with the mark, do not show that a file is UTF-16. */
const minUtf16Length = 4;

/** Loaded with the first file that needs it. */
let iconv: typeof Iconv | undefined;
let hasSearched = false;

/**
 * Decodes the content of a file. Undefined if it is not text: only if encoding the text again gives exactly these bytes
 * can it be shown, changed and restored. Another encoding than UTF-8 is recognised as agents do, with the package chardet.
 */
export async function decodeText(bytes: Buffer): Promise<EncodedText | undefined> {
  const hasNul = bytes.includes(0);
  if (!hasNul && isUtf8(bytes)) return { text: await decodeUtf8(bytes) };
  const utf16 = utf16In(bytes, hasNul);
  if (utf16 !== undefined) return decodeUtf16(bytes, utf16);
  if (hasNul || bytes.length > maxLegacyBytes)
    return isUtf8(bytes) ? { text: await decodeUtf8(bytes) } : undefined;
  const sample = await findSample(bytes);
  const encoding = sample && (await detectEncoding(sample));
  return encoding === undefined ? undefined : decodeExactly(bytes, encoding);
}

/** The bytes of a text, in its encoding. Rejects with `RpcError` if that lacks a character of the text. */
export async function encodeText(text: string, encoding: string | undefined): Promise<Buffer> {
  const missing = encoding && (await missingIn(text, encoding));
  if (missing) {
    throw new RpcError(
      'refused',
      `The encoding of the file, ${encoding}, has no ${describeCharacters(missing)}. Remove that from the text, or convert the file to UTF-8.`,
    );
  }
  return encode(text, encoding);
}

/** For `writeUserFile`: whether a file still has the content that was read. What is not text is compared by its name. */
export async function expectContent(
  read:
    | { readonly kind: 'text'; readonly text: string; readonly encoding?: string | undefined }
    | { readonly kind: 'binary'; readonly is?: string | undefined }
    | { readonly kind: 'missing' | 'too-large' },
): Promise<(now: Buffer | undefined) => boolean> {
  if (read.kind === 'binary') return (now) => now !== undefined && nameOfBytes(now) === read.is;
  if (read.kind !== 'text') return (now) => now === undefined && read.kind === 'missing';
  const bytes = await encodeText(read.text, read.encoding);
  return (now) => now?.equals(bytes) === true;
}

/** The characters of a text that an encoding lacks, each once. */
async function missingIn(text: string, encoding: string): Promise<string> {
  if (isUtf16(encoding)) return '';
  iconv ??= await loadIconv();
  return missingNow(text, encoding);
}

/** The same at once; none if the encoding has not been used yet. */
export function missingNow(text: string, encoding: string): string {
  if (isUtf16(encoding) || iconv === undefined) return '';
  const characters = [...charactersIn(text)];
  const known = iconv.decode(iconv.encode(characters.join(''), encoding), encoding);
  if (known === characters.join('')) return '';
  const { decode, encode } = iconv;
  return characters.filter((each) => decode(encode(each, encoding), encoding) !== each).join('');
}

/** Some characters, for a message. */
export function describeCharacters(characters: string): string {
  const all = [...characters];
  const shown = all.slice(0, 5).map((each) => `“${each.toWellFormed()}”`);
  return all.length > shown.length
    ? `${shown.join(', ')} and ${all.length - shown.length} more`
    : shown.join(', ');
}

function isUtf16(encoding: string): boolean {
  return encoding === 'UTF-16LE' || encoding === 'UTF-16BE';
}

/** The UTF-16 encoding that the bytes have by their mark, or by their zeros: in most texts every second byte is one. */
function utf16In(bytes: Buffer, hasNul: boolean): 'UTF-16LE' | 'UTF-16BE' | undefined {
  if (bytes.length % 2 === 1 || bytes.length < 2 * minUtf16Length) return undefined;
  const mark = bytes.readUInt16BE();
  if (mark === 0xfffe) return 'UTF-16LE';
  if (mark === 0xfeff) return 'UTF-16BE';
  if (!hasNul) return undefined;
  const zeros = [0, 0] as [number, number];
  const sample = bytes.subarray(0, sampleSize);
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2 === 0 ? 0 : 1]++;
  const many = sample.length / 8;
  // A few characters, such as U+4E00, have their zero in the other byte.
  if (zeros[1] > Math.max(many, 8 * zeros[0])) return 'UTF-16LE';
  return zeros[0] > Math.max(many, 8 * zeros[1]) ? 'UTF-16BE' : undefined;
}

async function decodeUtf16(
  bytes: Buffer,
  encoding: 'UTF-16LE' | 'UTF-16BE',
): Promise<EncodedText | undefined> {
  const parts: string[] = [];
  const unitAt = (at: number): number =>
    encoding === 'UTF-16LE' ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  for (let from = 0; from < bytes.length; ) {
    let end = Math.min(from + sliceSize, bytes.length);
    if (end < bytes.length && isHighSurrogate(unitAt(end - 2))) end += 2;
    const slice = bytes.subarray(from, end);
    const text = (encoding === 'UTF-16LE' ? slice : Buffer.from(slice).swap16()).toString('utf16le');
    if (!text.isWellFormed() || hasControl(text)) return undefined;
    parts.push(text);
    from = end;
    await nextTurn();
  }
  return { text: parts.join(''), encoding };
}

/** Decodes valid UTF-8. */
async function decodeUtf8(bytes: Buffer): Promise<string> {
  if (bytes.length <= unslicedSize) return bytes.toString('utf8');
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    let end = Math.min(from + unslicedSize, bytes.length);
    // A slice ends before the first byte of a character.
    while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    parts.push(bytes.toString('utf8', from, end));
    from = end;
    await nextTurn();
  }
  return parts.join('');
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** Control characters that no text has: all but tab, line ends, form feed, the end of a DOS file and escape. */
function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 && (code < 0x09 || code > 0x0d) && code !== 0x1a && code !== 0x1b) return true;
  }
  return false;
}

/** The lines around the first byte that is not ASCII. Undefined if the bytes contain control characters. */
async function findSample(bytes: Buffer): Promise<Buffer | undefined> {
  let first = -1;
  for (let from = 0; from < bytes.length; from += sliceSize) {
    const slice = bytes.toString('latin1', from, Math.min(from + sliceSize, bytes.length));
    if (hasControl(slice)) return undefined;
    if (first < 0) {
      const at = slice.search(/[\x80-\xff]/);
      if (at >= 0) first = from + at;
    }
    await nextTurn();
  }
  if (bytes.length <= sampleSize) return bytes;
  const start = bytes.lastIndexOf(0x0a, first) + 1;
  return bytes.subarray(first - start > sampleSize / 2 ? first : start).subarray(0, sampleSize);
}

async function detectEncoding(sample: Buffer): Promise<string | undefined> {
  const { detect } = await import('./legacyEncodings.js');
  // Loading the packages takes long, and so does the search.
  await nextTurn();
  if (!hasSearched) {
    hasSearched = true;
    // Until the engine has compiled it, the search is ten times slower. Short searches have it compiled without one long task.
    for (let size = firstSampleSize; size < sample.length; size *= 2) {
      detect(sample.subarray(0, size));
      await nextTurn();
    }
  }
  const name = detect(sample) ?? '';
  await nextTurn();
  iconv ??= await loadIconv();
  return !/^(UTF|ASCII)/.test(name) && iconv.encodingExists(name) ? name : undefined;
}

async function decodeExactly(bytes: Buffer, encoding: string): Promise<EncodedText | undefined> {
  iconv ??= await loadIconv();
  const [decoder, encoder] = [iconv.getDecoder(encoding), iconv.getEncoder(encoding)];
  const parts: string[] = [];
  let same = 0;
  const isExact = (text: string | undefined, encoded: Buffer | undefined): boolean => {
    if (text !== undefined) parts.push(text);
    if (encoded === undefined) return true;
    const isSame = bytes.subarray(same, same + encoded.length).equals(encoded);
    same += encoded.length;
    return isSame;
  };
  for (let from = 0; from < bytes.length; from += sliceSize) {
    const text = decoder.write(bytes.subarray(from, from + sliceSize));
    if (!isExact(text, encoder.write(text))) return undefined;
    await nextTurn();
  }
  const rest = decoder.end();
  const isEndExact = rest === undefined || isExact(rest, encoder.write(rest));
  if (!isEndExact || !isExact(undefined, encoder.end()) || same !== bytes.length) return undefined;
  return { text: parts.join(''), encoding };
}

async function encode(text: string, encoding: string | undefined): Promise<Buffer> {
  const encoder = await encoderOf(encoding);
  if (text.length <= sliceSize) return Buffer.concat([encoder.write(text), ...encoder.end()]);
  const parts: Buffer[] = [];
  for (let from = 0; from < text.length; ) {
    const end = from + sliceSize + (isHighSurrogate(text.charCodeAt(from + sliceSize - 1)) ? 1 : 0);
    parts.push(encoder.write(text.slice(from, end)));
    from = end;
    await nextTurn();
  }
  return Buffer.concat([...parts, ...encoder.end()]);
}

/** Encodes the slices of a text one after the other. */
async function encoderOf(encoding: string | undefined): Promise<{
  readonly write: (text: string) => Buffer;
  readonly end: () => readonly Buffer[];
}> {
  const end = (): readonly Buffer[] => [];
  if (encoding === undefined) return { write: (text) => Buffer.from(text), end };
  if (encoding === 'UTF-16LE') return { write: (text) => Buffer.from(text, 'utf16le'), end };
  if (encoding === 'UTF-16BE') return { write: (text) => Buffer.from(text, 'utf16le').swap16(), end };
  iconv ??= await loadIconv();
  const encoder = iconv.getEncoder(encoding);
  return {
    write: (text) => encoder.write(text),
    end: () => [encoder.end()].filter((rest) => rest !== undefined),
  };
}

/** The characters of a text that are not ASCII, each once. Bounded by the number of characters that exist. */
function charactersIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [run] of text.matchAll(/[^\0-\x7f]+/g)) for (const each of run) found.add(each);
  return found;
}

async function loadIconv(): Promise<typeof Iconv> {
  return (await import('./legacyEncodings.js')).iconv;
}
