/** The shells that `tandem env` writes for. */
export type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/** Whether a word names a shell that we can write for. */
export function isShell(name: string): name is Shell {
  return ['bash', 'zsh', 'fish', 'powershell'].includes(name);
}

/**
 * The line that exports a variable. Every value is quoted as the shell's own literal string, in which nothing is
 * expanded: a folder name may hold anything.
 */
export function exportLine(shell: Shell, name: string, value: string): string {
  if (shell === 'fish') return `set -gx ${name} '${value.replace(/[\\']/g, '\\$&')}'`;
  if (shell === 'powershell') return `$env:${name} = '${value.replace(/['‘’‚‛]/g, '$&$&')}'`;
  return `export ${name}='${value.replaceAll("'", "'\\''")}'`;
}
