import type { Path } from '@tandem/core';

/** Why the content of a file is not known. */
export type UnreadReason =
  /** It is larger than the limit. */
  | 'too-large'
  /** It is hidden from agents: its content is not kept. */
  | 'hidden'
  /** The file system refused it, or it changed each time it was read. */
  | 'unreadable'
  /** A pipe, a socket or a device. It is never opened. */
  | 'special'
  /** It was not read yet. */
  | 'not-yet';

/** What a path is. Folders are not states: a path that is a folder is a missing file. */
export type FileState =
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'file';
      /** SHA-256 of the raw bytes, in hexadecimal. */
      readonly hash: string;
      readonly size: number;
      /** The permission bits, with set-user-id, set-group-id and the sticky bit. */
      readonly mode: number;
      /** Whether the store has the bytes. */
      readonly isStored: boolean;
    }
  | { readonly kind: 'link'; readonly target: string }
  | {
      readonly kind: 'unread';
      readonly why: UnreadReason;
      /** Differs whenever the file differs. Of a hidden file, a hash with a private key. Empty if nothing is known. */
      readonly stamp: string;
    };

/**
 * A path that is not as it was at the last look. All times are Unix times in milliseconds; `changedAt` has fractions.
 */
export interface SeenChange {
  readonly path: Path;
  readonly before: FileState;
  readonly after: FileState;
  /** It was still as before at this time. */
  readonly notBefore: number;
  /** When its content or its metadata was last changed, by the clock of the file system. Undefined if it is gone. */
  readonly changedAt: number | undefined;
}

/** Whether two states are the same, wherever their bytes are kept. */
export function isSameState(one: FileState, other: FileState): boolean {
  if (one.kind === 'file')
    return (
      other.kind === 'file' && one.hash === other.hash && one.size === other.size && one.mode === other.mode
    );
  if (one.kind === 'link') return other.kind === 'link' && one.target === other.target;
  if (one.kind === 'unread')
    return other.kind === 'unread' && one.why === other.why && one.stamp === other.stamp;
  return other.kind === 'missing';
}
