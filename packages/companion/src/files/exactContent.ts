import { createHash } from 'node:crypto';
import type { FileContent } from '@tandem/reviews';

const [hashPrefix, linkPrefix] = ['sha256:', 'link:'];

/** What is written, and over what. */
export interface Writing {
  readonly content: FileContent;
  readonly basis: FileContent;
}

/** The bytes with a SHA-256, or undefined without a copy of them. */
export type CopyOf = (hash: string) => Promise<Buffer | undefined>;

/** Names bytes that are not text, for `FileContent`. */
export function nameOfBytes(bytes: Buffer): string {
  return nameOfHash(createHash('sha256').update(bytes).digest('hex'));
}

/** The same for bytes with this SHA-256. */
export function nameOfHash(hash: string): string {
  return hashPrefix + hash;
}

/** A link, which is not text. */
export function linkContent(target: string): FileContent {
  return { kind: 'binary', size: 0, is: linkPrefix + target };
}

/** The target of a link; undefined for anything else. */
export function linkIn(content: FileContent): string | undefined {
  return partAfter(linkPrefix, content);
}

/** The SHA-256 of bytes that are not text; undefined for anything else. */
export function hashIn(content: FileContent): string | undefined {
  return partAfter(hashPrefix, content);
}

/** The permission bits of a content, where they count. */
export function modeOf(content: FileContent): number | undefined {
  return content.kind === 'missing' ? undefined : content.mode;
}

/** Whether this content was read, or recorded, without following a link at its path. */
export function isExact(content: FileContent): boolean {
  return modeOf(content) !== undefined || (content.kind === 'binary' && content.is !== undefined);
}

function partAfter(prefix: string, content: FileContent): string | undefined {
  if (content.kind !== 'binary' || content.is?.startsWith(prefix) !== true) return undefined;
  return content.is.slice(prefix.length);
}
