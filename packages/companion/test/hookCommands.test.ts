import { expect, it } from 'vitest';
import { hookCommands, hookFiles } from '../src/hooks/hookCommands.js';

it.each([
  ['/opt/hook.sh', '/usr/bin/node'],
  ["/it's/hook.sh", '/a b/node'],
  ["/ hook run '", "/'/n"],
])('finds the files in its own commands: %s and %s', (script, node) => {
  const options = ['before', "/it's here"];
  for (const made of [
    hookCommands({ script, node }, 'claude', 'injected'),
    hookCommands({ script, node }, 'claude', 'installed'),
    hookCommands({ script, node }, 'claude', 'installed', options),
  ]) {
    for (const command of Object.values(made))
      expect(hookFiles(command)).toEqual({ script, node, isEarlier: false });
  }
});

it.each([
  '/usr/bin/node \'/a b/tandem.js\' hook run claude --pid "$PPID" || exit 0',
  '/usr/bin/node \'/a b/tandem.js\' claude installed "$PPID" || exit 0',
  "/usr/bin/node '/a b/tandem.js' claude installed \"$PPID\" before '/c d' || exit 0",
])('finds the files in a command of an earlier version: %s', (command) => {
  expect(hookFiles(command)).toEqual({ script: '/a b/tandem.js', node: '/usr/bin/node', isEarlier: true });
});

const { call } = hookCommands({ script: '/f/hook.sh', node: '/n' }, 'claude', 'installed');

it.each([
  'tandem hook run claude',
  'node x.js hook run claude --pid "$PPID" || exit 0; rm -r x',
  'ls; node x.js hook run claude --pid "$PPID" || exit 2',
  'echo \'node x.js hook run claude --pid "$PPID" || exit 0',
  'node x.mjs claude installed "$PPID"',
  'node x.mjs claude installed "$PPID" || exit 0 && rm -r x',
  `${call}; rm -r x`,
  `ls; ${call}`,
  call.replace('/f/hook.sh', '/g/hook.sh'),
])('finds none in another command: %s', (command) => expect(hookFiles(command)).toBeUndefined());
