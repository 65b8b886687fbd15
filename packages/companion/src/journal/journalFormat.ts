import type { ReviewRecord, SavedReview } from '@tandem/reviews';
import * as z from 'zod';
import { companionState } from './journalContents.js';
import { savedReview } from './savedReviewSchema.js';

/** The part of a journal that contains a review. */
const entryKinds = ['reviews', 'interrupted', 'rejected', 'history'] as const;
export type EntryKind = (typeof entryKinds)[number];

/** The part of a journal for each state of a review. */
export const kindOf: Readonly<Record<ReviewRecord['state'], EntryKind>> = {
  pending: 'reviews',
  undelivered: 'interrupted',
  accepted: 'interrupted',
  rejected: 'rejected',
  decided: 'history',
};

/** Another format means that another version of Tandem wrote the file, which is left to that version. */
export const journalFormat = 3;
const format = z.literal(journalFormat);

/** A text itself, or for a large one the name of the file that holds it. The name is the hash of the content. */
const textReference = z.union([
  z.string(),
  z.object({
    file: z.string().regex(/^[0-9a-f]{64}\.(utf8|utf16le)$/),
    /** In bytes. */
    size: z.int().min(0),
  }),
]);

const companionFile = z.object({
  format,
  /** The folder for which it was written. */
  folder: z.string(),
  /** The window that it belongs to. */
  window: z.string(),
  /** The folders that it served, if they may change. */
  folders: z.array(z.string()).optional(),
  hasEnded: z.boolean(),
  companion: companionState,
});

const reviewFile = z.object({
  format,
  kind: z.enum(entryKinds),
  /** Fields that only a later version knows stay in it. */
  review: savedReview.omit({ original: true, proposed: true, content: true }).loose(),
  original: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('missing') }),
    z.object({ kind: z.literal('text'), text: textReference, encoding: z.string().optional() }),
    z.object({ kind: z.literal('binary'), size: z.number() }),
  ]),
  proposed: textReference,
  /** Absent for an unchanged proposal; for a large one, only the part that differs. */
  content: z
    .union([z.string(), z.object({ from: z.int().min(0), to: z.int().min(0), text: textReference })])
    .optional(),
});

export type TextReference = z.infer<typeof textReference>;
/** The journal's record of a companion, without its reviews. */
export type CompanionFile = z.infer<typeof companionFile>;
/** The journal's record of one review. */
export type ReviewFile = z.infer<typeof reviewFile>;

/** Parses such a file; undefined for a format that this version does not write. Never throws. */
export function parseCompanionFile(text: string): CompanionFile | undefined {
  return parse(companionFile, text);
}

/** Parses such a file; undefined for a format that this version does not write. Never throws. */
export function parseReviewFile(text: string): ReviewFile | undefined {
  return parse(reviewFile, text);
}

/** Whether a file that cannot be parsed is complete: another version of Tandem wrote it. */
export function isOfOtherVersion(text: string): boolean {
  return parse(z.object({ format: z.unknown() }), text) !== undefined;
}

function parse<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The text of the file of one review. `put` stores a text and returns a reference to it. */
export async function reviewFileText(
  kind: EntryKind,
  saved: SavedReview,
  put: (text: string) => Promise<TextReference>,
): Promise<string> {
  const { original, proposed, content, ...review } = saved;
  const file: ReviewFile = {
    format: journalFormat,
    kind,
    review,
    original: original.kind === 'text' ? { ...original, text: await put(original.text) } : original,
    proposed: await put(proposed),
    ...(content !== proposed && { content: await splice(proposed, content, put) }),
  };
  return JSON.stringify(file);
}

/** Reassembles a review. Throws if one of its texts is not available. */
export function reviewOf(file: ReviewFile, get: (reference: TextReference) => string): SavedReview {
  const { original, content } = file;
  const proposed = get(file.proposed);
  const text = typeof content === 'object' ? get(content.text) : '';
  return {
    ...file.review,
    original: original.kind === 'text' ? { ...original, text: get(original.text) } : original,
    proposed,
    content:
      typeof content === 'object'
        ? proposed.slice(0, content.from) + text + proposed.slice(content.to)
        : (content ?? proposed),
  };
}

/** The names of the files that hold the texts of a review. */
export function textFilesOf({ original, proposed, content }: ReviewFile): string[] {
  const references = [
    ...(original.kind === 'text' ? [original.text] : []),
    proposed,
    ...(typeof content === 'object' ? [content.text] : []),
  ];
  return references.flatMap((reference) => (typeof reference === 'string' ? [] : [reference.file]));
}

/** Stores an edit of a large text as its difference to the proposal: from the first differing position to the last. */
async function splice(
  proposed: string,
  content: string,
  put: (text: string) => Promise<TextReference>,
): Promise<NonNullable<ReviewFile['content']>> {
  if (content.length <= inlineLength && proposed.length <= inlineLength) return content;
  const most = Math.min(proposed.length, content.length);
  const start = commonLength(most, (from, to) => proposed.slice(from, to) === content.slice(from, to));
  const end = commonLength(most - start, (from, to) => {
    const [a, b] = [proposed.length, content.length];
    return proposed.slice(a - to, a - from) === content.slice(b - to, b - from);
  });
  return {
    from: start,
    to: proposed.length - end,
    text: await put(content.slice(start, content.length - end)),
  };
}

/** How many of at most `most` code units are equal. Compares slices, and halves a slice that differs. */
function commonLength(most: number, isSame: (from: number, to: number) => boolean): number {
  let at = 0;
  for (let size = 64 * 1024; size >= 1; size = Math.floor(size / 2)) {
    while (at < most && isSame(at, Math.min(at + size, most))) at = Math.min(at + size, most);
  }
  return at;
}

/** Up to this length, in code units, a text is stored in the file of its review. */
export const inlineLength = 8 * 1024;
