import { expect, it } from 'vitest';
import { hookCommand, hookProgram } from '../src/doctor/shell.js';

it.each([
  [['/usr/bin/node', '/opt/hook.mjs']],
  [['/a b/node', "/it's/hook.mjs"]],
  [["/'/n", "/ hook run '"]],
])('finds the files in its own command: %j', (program) => {
  expect(hookProgram(hookCommand(program, 'claude', 'injected'))).toEqual(program);
  expect(hookProgram(hookCommand(program, 'claude', 'installed'))).toEqual(program);
  const options = ['before', "/it's here"];
  expect(hookProgram(hookCommand(program, 'claude', 'installed', options))).toEqual(program);
});

it('finds the files in a command of an earlier version', () => {
  expect(hookProgram('/usr/bin/node \'/a b/tandem.js\' hook run claude --pid "$PPID" || exit 0')).toEqual([
    '/usr/bin/node',
    '/a b/tandem.js',
  ]);
});

it.each([
  'tandem hook run claude',
  'node x.js hook run claude --pid "$PPID" || exit 0; rm -r x',
  'ls; node x.js hook run claude --pid "$PPID" || exit 2',
  'echo \'node x.js hook run claude --pid "$PPID" || exit 0',
  'node x.mjs claude installed "$PPID"',
  'node x.mjs claude installed "$PPID" || exit 0 && rm -r x',
])('finds none in another command: %s', (command) => expect(hookProgram(command)).toBeUndefined());
