import { readMarked } from './discoveryMark.js';
import { readPrivateFile } from './privateFile.js';
import { isRunning } from './processStart.js';

/** A file of ours that a process left, and whether that process still runs. */
export interface FoundDiscoveryFile {
  readonly content: Readonly<Record<string, unknown>>;
  /** Whether the process that wrote it lives. Where that cannot be told for certain, a living pid counts. */
  readonly isHeld: boolean;
}

/** Reads a file that `DiscoveryFolder.write` wrote; undefined when there is none, or it is not this user's. */
export function readDiscoveryFile(path: string): FoundDiscoveryFile | undefined {
  const text = readPrivateFile(path);
  const found = text === undefined ? undefined : readMarked(text);
  if (found === undefined) return undefined;
  const { pid, startedAt } = found.mark;
  return { content: found.content, isHeld: isRunning(pid, startedAt) };
}
