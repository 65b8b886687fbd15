/** What is wrong with a folder or a file that agents are to find us by. */
export type DiscoveryFault = 'symlink' | 'foreign-owner' | 'not-a-directory' | 'not-writable' | 'bad-name';

/** A discovery file cannot be written. The message says which path, why, and what to do. */
export class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError';
  readonly fault: DiscoveryFault;
  readonly path: string;

  constructor(fault: DiscoveryFault, path: string, cause?: unknown) {
    super(explain(fault, path, cause), { cause });
    this.fault = fault;
    this.path = path;
  }
}

function explain(fault: DiscoveryFault, path: string, cause: unknown): string {
  switch (fault) {
    case 'symlink':
      return `${path} is a symbolic link. Discovery files hold a secret and are not written through a link. Remove it, or put a real folder in its place.`;
    case 'foreign-owner':
      return `${path} belongs to another user, who could read or replace what is written there. Ask its owner to remove it, or set another temporary folder (TMPDIR) or home.`;
    case 'not-a-directory':
      return `${path} is not a folder. Move it away.`;
    case 'not-writable':
      return `${path} cannot be written: ${reason(cause)}. Make it writable for your user, or set another temporary folder (TMPDIR) or home.`;
    case 'bad-name':
      return `${path} is not a plain file name. Discovery files lie directly in their folder.`;
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'the reason is unknown';
}
