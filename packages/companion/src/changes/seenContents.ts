import type { Attribution, FileState, FolderScan, Look, SeenChange } from '@tandem/changes';
import type { Path } from '@tandem/core';
import { type FileContent, isSameContent, type UnkeptChange } from '@tandem/reviews';
import { decodeText } from '../files/encodedText.js';
import { linkContent, nameOfHash } from '../files/exactContent.js';
import type { SeenEdit } from '../reviews/history.js';

/** Each time, a look reads for some seconds. */
const mostLooks = 20;

/** For a change of which nothing is kept. */
export const noContents: Pick<SeenEdit, 'before' | 'after'> = {
  before: { kind: 'missing' },
  after: { kind: 'binary', size: 0 },
};

/** The changes that a look found. Looks again at files that it had no time to read. */
export async function readWhole(scan: FolderScan, look: Look): Promise<readonly SeenChange[]> {
  const found: SeenChange[] = [];
  const waiting = new Map<Path, SeenChange>();
  let { changes } = look;
  for (let left = mostLooks; changes.length > 0; left -= 1) {
    for (const change of changes) {
      const first = waiting.get(change.path);
      const whole = first ? { ...change, before: first.before, notBefore: first.notBefore } : change;
      waiting.delete(change.path);
      if (isUnread(change.after, 'not-yet') && left > 0) waiting.set(change.path, whole);
      else found.push(whole);
    }
    changes = waiting.size === 0 ? [] : (await scan.look([...waiting.keys()])).changes;
  }
  return [...found, ...waiting.values()];
}

/** What a change did, for the history; undefined if nothing. */
export async function contentsOf(
  scan: FolderScan,
  { before, after }: SeenChange,
): Promise<Pick<SeenEdit, 'before' | 'after' | 'unkept'> | undefined> {
  const isRemoval = after.kind === 'missing';
  const unkept = (why: UnkeptChange['why']) => ({
    ...noContents,
    ...(isRemoval && { after }),
    unkept: { why },
  });
  const why = whyUnkept(before) ?? whyUnkept(after);
  if (why !== undefined) return unkept(why);
  if (before.kind === 'file' && after.kind === 'file' && before.hash === after.hash) {
    if (before.mode === after.mode) return undefined;
    // An earlier version lists these, too, and undoes nothing of them.
    return { before: bytesIn(before), after: bytesIn(after), unkept: { why: 'mode' } };
  }
  const [was, is] = [await contentOf(scan, before), await contentOf(scan, after)];
  if (was === undefined || is === undefined) return unkept('no-room');
  if (isSameContent(was, is)) return undefined;
  const hasLink = before.kind === 'link' || after.kind === 'link';
  return { before: was, after: is, ...(hasLink && { unkept: { why: 'link' } }) };
}

/** Whose a change is, for the history. */
export function seenBy(
  of: Attribution,
): Pick<SeenEdit, 'agent' | 'session' | 'title'> & Required<Pick<SeenEdit, 'evidence'>> {
  const { agent, session, commands } = of;
  const evidence =
    commands === undefined ? ({ kind: 'turn' } as const) : ({ kind: 'command', commands } as const);
  return { agent, session, title: commands?.[0] ?? '', evidence };
}

function whyUnkept(state: FileState): UnkeptChange['why'] | undefined {
  if (state.kind !== 'unread') return undefined;
  return state.why === 'not-yet' ? 'not-read' : state.why;
}

function isUnread(state: FileState, why: (FileState & { kind: 'unread' })['why']): boolean {
  return state.kind === 'unread' && state.why === why;
}

/** Undefined if the store does not have it. */
async function contentOf(scan: FolderScan, state: FileState): Promise<FileContent | undefined> {
  if (state.kind === 'link') return linkContent(state.target);
  if (state.kind !== 'file') return { kind: 'missing' };
  const bytes = await scan.content(state.hash);
  if (bytes === undefined) return undefined;
  const decoded = await decodeText(bytes);
  return decoded === undefined ? bytesIn(state) : { kind: 'text', ...decoded, mode: state.mode };
}

function bytesIn({ hash, size, mode }: FileState & { readonly kind: 'file' }): FileContent {
  return { kind: 'binary', size, is: nameOfHash(hash), mode };
}
