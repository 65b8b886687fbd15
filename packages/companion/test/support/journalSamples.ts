import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { SavedReview } from '@tandem/reviews';
import type { Journal, JournalContents } from '../../src/index.js';

export const review: SavedReview = {
  key: '0123456789abcdef01234567',
  agent: 'claude',
  session: 'one',
  path: '/w/a.txt',
  original: { kind: 'text', text: 'old\n' },
  proposed: 'new\n',
  content: 'typed\n',
  keptHunks: [],
  isOutsideWorkspace: false,
  openedAt: 1,
};

export function saved(port: number, more: Partial<JournalContents> = {}): JournalContents {
  const session = { agent: 'gemini', id: 'one', client: { name: 'a', version: '1' }, protocolVersion: '2' };
  return {
    port,
    tokens: { gemini: 'secret' },
    sessions: [session],
    reviews: [],
    interrupted: [],
    endedInOrder: false,
    ...more,
  };
}

/** Writes what a companion leaves in all, instead of what the journal has. */
export function writeAll(
  journal: Journal,
  { reviews, interrupted, rejected = [], history = [], endedInOrder: _, ...state }: JournalContents,
  how?: { readonly hasEnded: boolean },
): Promise<boolean> {
  for (const key of [...journal.keys]) journal.delete(key);
  for (const review of reviews) journal.put({ ...review, state: 'pending' });
  for (const review of interrupted) journal.put({ ...review, state: 'accepted' });
  for (const review of rejected) journal.put({ ...review, state: 'rejected', isLeft: true });
  for (const { decided, ...entry } of history)
    if (decided !== undefined) journal.put({ ...entry, decided, state: 'decided' });
  return journal.write(state, how);
}

/** Gives everything in the folder this age. */
export function age(folder: string, ageMs: number): void {
  const at = new Date(Date.now() - ageMs);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    utimesSync(join(folder, name), at, at);
  }
}

export const minute = 60_000;
export const day = 24 * 60 * minute;
