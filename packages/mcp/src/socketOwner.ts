import { ownMark, readMarked, withMark } from './discovery/discoveryFile.js';
import { readPrivateFile, removeQuietly, statOf, writePrivateFile } from './discovery/privateFile.js';
import { isStopped } from './discovery/processStart.js';
import { isPipe } from './socketPath.js';

/** The companion that owns a socket which several share. */
export interface SocketOwner {
  readonly pid: number;
  /** The `socketIdentity` of its socket. */
  readonly socket: string;
  /** Whether the process is stopped, as by Ctrl+Z. Known on Linux only; otherwise false. */
  readonly isStopped: boolean;
}

/** The companion that owns the socket at a path. Undefined if none does, or if another program does: that one leaves no note. */
export function socketOwner(path: string): SocketOwner | undefined {
  const text = readPrivateFile(noteOf(path));
  const note = text === undefined ? undefined : readMarked(text);
  const socket = socketIdentity(path);
  if (note === undefined || socket === undefined || note.content.socket !== socket) return undefined;
  const { pid, startedAt } = note.mark;
  return { pid, socket, isStopped: isStopped(pid, startedAt) };
}

/**
 * Notes beside a socket that this process owns it, so that other companions can find out whether it is stopped. Returns what
 * removes the note, unless another owner has written its own by then. If it cannot be written, they take this process for
 * another program.
 */
export function noteSocketOwner(path: string, socket: string | undefined): () => void {
  if (socket === undefined) return () => {};
  const text = withMark({ socket }, ownMark(0));
  try {
    writePrivateFile(noteOf(path), text);
  } catch {
    return () => {};
  }
  return () => {
    if (readPrivateFile(noteOf(path)) === text) removeQuietly(noteOf(path));
  };
}

function noteOf(path: string): string {
  return `${path}.owner`;
}

/**
 * Which socket is at a path. Undefined if nothing is there, and for a pipe of Windows. The number of a removed file may be used
 * again, so the time counts, too.
 */
export function socketIdentity(path: string): string | undefined {
  const stats = isPipe(path) ? undefined : statOf(path);
  return stats && `${stats.dev} ${stats.ino} ${stats.mtimeMs}`;
}
