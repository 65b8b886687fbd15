/** The shells that `tandem env` writes for. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

function isShell(name: string): name is Shell {
  return shells.some((shell) => shell === name);
}

/** The shell whose syntax the user probably wants; bash if unknown. `shell` is a path, as in `SHELL`. */
export function shellOf(platform: NodeJS.Platform, shell: string | undefined): Shell {
  const name =
    shell
      ?.split(/[\\/]/)
      .at(-1)
      ?.replace(/\.exe$/i, '') ?? '';
  if (isShell(name)) return name;
  if (name === 'pwsh' || (platform === 'win32' && name !== 'sh')) return 'powershell';
  return 'bash';
}

/**
 * The line that exports a variable. The value is quoted as a literal string of the shell, in which nothing is expanded:
 * the name of a folder may contain any character. Control characters become escapes, so that the output stays one
 * printable line.
 */
export function exportLine(shell: Shell, name: string, value: string): string {
  if (shell === 'fish') return `set -gx ${name} ${fishLiteral(value)}`;
  if (shell === 'powershell') return `$env:${name} = ${powershellLiteral(value)}`;
  return `export ${name}=${bashLiteral(value)}`;
}

/** The command that sets, in the shell where it is typed, what `tandem env` prints. */
export function evaluateEnv(shell: Shell, tandem: string): string {
  if (shell === 'fish') return `${tandem} env | source`;
  if (shell === 'powershell') return `${tandem} env --shell powershell | Out-String | Invoke-Expression`;
  return `eval "$(${tandem} env)"`;
}

/** The command that removes variables. */
export function unsetLine(shell: Shell, names: readonly string[]): string {
  if (shell === 'fish') return `set -e ${names.join(' ')}`;
  if (shell === 'powershell') return `Remove-Item ${names.map((name) => `Env:${name}`).join(', ')}`;
  return `unset ${names.join(' ')}`;
}

/** The command that puts values before those in a variable, which is a list with commas. The values are plain words. */
export function prependLine(shell: Shell, name: string, values: string): string {
  if (shell === 'fish') return `set -gx ${name} "${values},$${name}"`;
  if (shell === 'powershell') return `$env:${name} = "${values},$env:${name}"`;
  return `export ${name}="${values},$${name}"`;
}

const control = /\p{Cc}/u;
const controls = /(\p{Cc})/u;

/** Control characters need the ANSI-C quoting of bash and zsh, with their bytes in hexadecimal. */
function bashLiteral(value: string): string {
  if (!control.test(value)) return `'${value.replaceAll("'", "'\\''")}'`;
  const escaped = value.replace(/[\\']/g, '\\$&').replace(/\p{Cc}/gu, (character) => {
    return [...Buffer.from(character)].map((byte) => `\\x${hex(byte, 2)}`).join('');
  });
  return `$'${escaped}'`;
}

/** In fish, escapes must be outside the quotes. */
function fishLiteral(value: string): string {
  const parts = value.split(controls).map((part) => {
    return control.test(part) ? `\\u${hex(part.charCodeAt(0), 4)}` : `'${part.replace(/[\\']/g, '\\$&')}'`;
  });
  return parts.join('');
}

/** PowerShell also accepts typographic quotes as quotes. */
function powershellLiteral(value: string): string {
  const parts = value.split(controls).map((part) => {
    return control.test(part) ? `[char]${part.charCodeAt(0)}` : `'${part.replace(/['‘’‚‛]/g, '$&$&')}'`;
  });
  return parts.join(' + ');
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}

/** A word as a POSIX shell reads it literally; plain ones stay as they are. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) && !text.startsWith('~')
    ? text
    : `'${text.replaceAll("'", "'\\''")}'`;
}
