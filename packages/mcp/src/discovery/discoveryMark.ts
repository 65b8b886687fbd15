import * as z from 'zod';
import { processStartedAt } from '../identity.js';

/**
 * What we write beside an agent's own fields. The pid that an agent reads in its file can be an ancestor's that
 * outlives us, so it cannot tell whether we are alive; this one can.
 */
export interface DiscoveryMark {
  /** Of the process that wrote the file. */
  readonly pid: number;
  /** Its start in Unix milliseconds: a later process may have got the same pid. */
  readonly startedAt: number;
  /** Where it listens. */
  readonly port: number;
}

/** The member that holds the mark. */
const markKey = 'tandem';

const markSchema = z.object({
  pid: z.int().positive(),
  startedAt: z.number(),
  port: z.int().min(0).max(65_535),
});

/** The mark of this process. */
export function ownMark(port: number): DiscoveryMark {
  return { pid: process.pid, startedAt: processStartedAt, port };
}

/** The text of a discovery file: the agent's fields and our mark. */
export function withMark(content: Readonly<Record<string, unknown>>, mark: DiscoveryMark): string {
  return `${JSON.stringify({ ...content, [markKey]: mark }, null, 2)}\n`;
}

/** A discovery file of ours as it was read. */
export interface MarkedContent {
  readonly mark: DiscoveryMark;
  readonly content: Readonly<Record<string, unknown>>;
}

/** Reads the text of a discovery file; undefined when it is broken or not ours. */
export function readMarked(text: string): MarkedContent | undefined {
  try {
    const content = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
    return { mark: markSchema.parse(content[markKey]), content };
  } catch {
    return undefined;
  }
}

export function sameMark(a: DiscoveryMark, b: DiscoveryMark): boolean {
  return a.pid === b.pid && a.startedAt === b.startedAt && a.port === b.port;
}
