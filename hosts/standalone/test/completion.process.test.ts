import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentIds } from '@tandem/companion/agents';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Scratch } from './support/tandemProcess.js';

let scratch: Scratch;
let env: Record<string, string>;
beforeEach(() => {
  scratch = new Scratch();
  const bin = join(scratch.root, 'bin');
  const call = scratch
    .commandLine([])
    .map((part) => `"${part}"`)
    .join(' ');
  mkdirSync(bin);
  writeFileSync(join(bin, 'tandem'), `#!/bin/sh\nexec ${call} "$@"\n`, {
    mode: 0o755,
  });
  env = { PATH: `${bin}:${process.env.PATH}` };
});
afterEach(() => scratch.dispose());

/** Completes a command line in a real bash that has sourced the script. */
async function press(words: readonly string[]): Promise<string[]> {
  const script = [
    // Twice, as after reloading the settings of the shell.
    'source <(tandem completion bash); source <(tandem completion bash)',
    'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tandem',
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
  ].join('\n');
  const bash = scratch.startProgram('bash', ['--norc', '-c', script, 'bash', 'tandem', ...words], {
    env,
    input: '',
  });
  const { stdout, stderr } = await bash.ended;
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

describe('completion in a real bash', () => {
  test('offers commands, options and their values', async () => {
    expect(await press(['sha'])).toEqual(['share']);
    expect(await press(['review', 'acc'])).toEqual(['accept']);
    expect(await press(['env', '--sh'])).toEqual(['--shell']);
    expect(await press(['env', '--shell', '=', 'po'])).toEqual(['powershell']);
    expect(await press(['env', '--shell', '='])).toEqual(['bash', 'zsh', 'fish', 'powershell', 'json']);
    expect(await press(['run', ''])).toEqual(agentIds);
  });

  test('offers the running companions', async () => {
    const companion = await scratch.serve();
    expect(await press(['status', '--companion', ''])).toEqual([String(companion.pid)]);
  });

  test('does not evaluate the typed text', async () => {
    const trap = join(scratch.root, 'trap');
    expect(await press(['focus', `$(touch ${trap})`, `\`touch ${trap}\``])).toEqual(['']);
    expect((await scratch.startProgram('ls', [trap]).ended).code).not.toBe(0);
  });
});

describe('the completion scripts', () => {
  for (const [shell, mark] of [
    ['zsh', '#compdef tandem\n'],
    ['fish', "complete -c tandem -f -a '(__tandem_complete)'"],
    ['powershell', 'Register-ArgumentCompleter -Native -CommandName tandem'],
  ] as const) {
    test(`exist for ${shell}`, async () => {
      expect(await scratch.run(['completion', shell])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(mark),
        stderr: '',
      });
    });
  }
});
