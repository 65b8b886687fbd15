/** A word as a POSIX shell reads it literally; plain ones stay as they are. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) && !text.startsWith('~')
    ? text
    : `'${text.replaceAll("'", "'\\''")}'`;
}
