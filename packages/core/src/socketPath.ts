import type { Path } from './position.js';
import { utf8Length } from './truncate.js';

/**
 * Whether a path is short enough for a Unix socket. Longer ones are dangerous: Node.js 20 cuts them without an error, and so
 * uses another socket. Always true for a named pipe of Windows. `platform` is `process.platform`.
 */
export function isSocketPath(path: Path, platform: string): boolean {
  // Linux has 108 bytes, the other systems 104, one of them for the end.
  return path.startsWith('\\\\') || utf8Length(path) <= (platform === 'linux' ? 107 : 103);
}
