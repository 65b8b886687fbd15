import type { Path } from '@tandem/core';
import type { SeenChange } from '../fileState.js';
import type { StoreLimits } from '../store/blobStore.js';
import type { ScanLimits } from './scanner.js';

/** What a scan is doing, and what it keeps. */
export interface ScanStatus {
  /** `whole`: it looks at all files. `named`: only at paths in hints. `off`: at none. */
  readonly mode: 'whole' | 'named' | 'off';
  /** Why it does not look at all files, in words that follow the name of the folder. */
  readonly why: string | undefined;
  /** The process that has the store of this folder, if it is another one. */
  readonly owner: number | undefined;
  /** Files that it knows. */
  readonly files: number;
  /** How many of them it has not read yet, at most. */
  readonly unread: number;
  /** Names that are not UTF-8: they are left out. */
  readonly oddNames: number;
  /** What the store takes on the disk. */
  readonly bytes: number;
  /** The folder of the store. */
  readonly folder: Path;
  /** Why contents are not kept at the moment, in words for users. */
  readonly problem: string | undefined;
}

/** What a worker gets at its start. */
export interface WorkerStart {
  /** The real path of the folder. */
  readonly root: Path;
  /** The folder as its user named it. */
  readonly named: Path;
  readonly storeFolder: Path;
  /** The same for each worker of a scan. */
  readonly ownerId: string;
  readonly denyList: readonly string[];
  readonly limits: ScanLimits;
  readonly storeLimits: StoreLimits;
  /** Why it looks only at paths in hints. */
  readonly whyNamed: string | undefined;
}

/** A call of a worker. Paths are below the root, with `/`. */
export type WorkerCall =
  | { readonly kind: 'look'; readonly hints: readonly string[] | undefined }
  | { readonly kind: 'more' }
  | { readonly kind: 'content'; readonly hash: string }
  | { readonly kind: 'pin'; readonly hashes: readonly string[] }
  | { readonly kind: 'denyList'; readonly patterns: readonly string[] }
  | { readonly kind: 'delete' }
  | { readonly kind: 'close' };

/** A part of a look: the rest follows at the call `more`. */
export interface LookPart {
  readonly changes: readonly SeenChange[];
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isComplete: boolean;
  readonly hasMore: boolean;
}

/** What a worker answers. */
export interface WorkerAnswer {
  readonly id: number;
  readonly value: LookPart | Uint8Array | undefined;
  readonly status: ScanStatus;
}
