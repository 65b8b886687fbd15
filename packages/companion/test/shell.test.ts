import { describe, expect, test } from 'vitest';
import { evaluateEnv, exportLine, prependLine, shellOf, unsetLine } from '../src/doctor/shell.js';

const nasty = `a b'c"d$HOME\`x\`\\e\n\u001b[2J!;é`;

describe('the line that exports a variable', () => {
  test('is literal for bash and zsh', () => {
    expect(exportLine('bash', 'A', "it's $HOME")).toBe("export A='it'\\''s $HOME'");
    expect(exportLine('zsh', 'A', 'plain')).toBe("export A='plain'");
    expect(exportLine('bash', 'A', '')).toBe("export A=''");
  });

  test('is literal for fish', () => {
    expect(exportLine('fish', 'A', "it's \\ $HOME")).toBe("set -gx A 'it\\'s \\\\ $HOME'");
    expect(exportLine('fish', 'A', 'a\nb')).toBe("set -gx A 'a'\\u000a'b'");
  });

  test('is literal for PowerShell, which also accepts typographic quotes as quotes', () => {
    expect(exportLine('powershell', 'A', "it's $x ’‘")).toBe("$env:A = 'it''s $x ’’‘‘'");
    expect(exportLine('powershell', 'A', 'a\nb')).toBe("$env:A = 'a' + [char]10 + 'b'");
  });

  test('is one line without control characters for every shell', () => {
    for (const shell of ['bash', 'zsh', 'fish', 'powershell'] as const) {
      expect(exportLine(shell, 'A', nasty)).not.toMatch(/\p{Cc}/u);
    }
  });
});

describe('the shell to write for', () => {
  test('is the login shell, or otherwise the most likely one of the system', () => {
    expect(shellOf('linux', '/usr/bin/fish')).toBe('fish');
    expect(shellOf('darwin', '/bin/zsh')).toBe('zsh');
    expect(shellOf('linux', '/bin/dash')).toBe('bash');
    expect(shellOf('linux', undefined)).toBe('bash');
    expect(shellOf('win32', undefined)).toBe('powershell');
    expect(shellOf('win32', '/usr/bin/bash')).toBe('bash');
    expect(shellOf('win32', 'C:\\Program Files\\Git\\bin\\bash.exe')).toBe('bash');
    expect(shellOf('win32', 'C:\\Windows\\System32\\cmd.exe')).toBe('powershell');
    expect(shellOf('linux', '/usr/bin/pwsh')).toBe('powershell');
  });
});

describe('a command for the shell of the user', () => {
  test('sets what tandem env prints', () => {
    expect(evaluateEnv('bash', 'tandem')).toBe('eval "$(tandem env)"');
    expect(evaluateEnv('zsh', 'npx tandem')).toBe('eval "$(npx tandem env)"');
    expect(evaluateEnv('fish', 'tandem')).toBe('tandem env | source');
    expect(evaluateEnv('powershell', 'tandem')).toBe(
      'tandem env --shell powershell | Out-String | Invoke-Expression',
    );
  });

  test('removes variables', () => {
    expect(unsetLine('zsh', ['A', 'B'])).toBe('unset A B');
    expect(unsetLine('fish', ['A', 'B'])).toBe('set -e A B');
    expect(unsetLine('powershell', ['A', 'B'])).toBe('Remove-Item Env:A, Env:B');
  });

  test('puts values before those of a list', () => {
    expect(prependLine('bash', 'A', 'x,y')).toBe('export A="x,y,$A"');
    expect(prependLine('fish', 'A', 'x,y')).toBe('set -gx A "x,y,$A"');
    expect(prependLine('powershell', 'A', 'x,y')).toBe('$env:A = "x,y,$env:A"');
  });
});
