import { expect, it } from 'vitest';
import { hookCommand, hookProgram } from '../src/doctor/shell.js';

it.each([
  [['/usr/bin/node', '/opt/tandem.js']],
  [['/a b/node', "/it's/tandem.js"]],
  [["/'/n", "/ hook run '"]],
])('finds the files in its own command: %j', (program) =>
  expect(hookProgram(hookCommand(program, 'claude'))).toEqual(program),
);

it.each([
  'tandem hook run claude',
  'node x.js hook run claude --pid "$PPID" || exit 0; rm -r x',
  'ls; node x.js hook run claude --pid "$PPID" || exit 2',
  'echo \'node x.js hook run claude --pid "$PPID" || exit 0',
])('finds none in another command: %s', (command) => expect(hookProgram(command)).toBeUndefined());
