import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder that a setting names: an absolute path, or one below the user's home. Undefined for everything else. */
export function folderIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const path = value.trim().replace(/^~(?=$|[\\/])/, () => homedir());
  return isAbsolute(path) ? join(path) : undefined;
}
