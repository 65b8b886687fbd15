import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Finding, windowCure } from '../src/doctor/index.js';

const rules = fileURLToPath(new URL('../src/doctor/rules/', import.meta.url));
const text = readdirSync(rules)
  .map((name) => readFileSync(`${rules}${name}`, 'utf8'))
  .join('\n');
/** Everything that the doctor can find, from the source of its rules. */
const ids = [
  ...new Set(
    [...text.matchAll(/\bid: (?:isLink \? )?'([a-z-]+)'(?: : '([a-z-]+)')?/g)].flatMap(([, one, other]) => [
      one,
      other,
    ]),
  ),
].filter((id) => id !== undefined);
/** All commands of ours in the findings. */
const commands = [
  'tandem run qwen',
  'tandem',
  'tandem serve --no-open',
  'tandem doctor --fix',
  'tandem share resume',
  'eval "$(tandem env)"',
  "cd '/a b' && tandem",
  'tandem stop --companion 4; tandem',
];

function found(changes: Partial<Finding>, command: string): Finding {
  const fix = { command, place: 'shell', isAutomatic: false } as const;
  return { id: 'x', severity: 'error', title: '', cause: '', consequence: '', fix, ...changes };
}

describe('the cure of a finding in the window of an editor', () => {
  test('is never a command of ours, which may not be installed', () => {
    expect(ids.length).toBeGreaterThan(25);
    for (const id of ids.filter((each) => each !== 'missing-hook' && each !== 'earlier-hook')) {
      for (const agent of ['claude', 'gemini', 'qwen', undefined]) {
        for (const command of commands) {
          const cure = windowCure(found({ id, ...(agent && { agent }) }, command));
          if (cure.kind === 'type') expect(cure.command, id).not.toMatch(/tandem/);
        }
      }
    }
  });

  test.each([
    ['sharing-paused', 'tandem share resume', { kind: 'resume-sharing' }],
    ['stale-file', 'tandem doctor --fix', { kind: 'remove' }],
    ['by-hand', 'eval "$(tandem env)"', { kind: 'new-terminal' }],
    ['stale-variable', 'unset QWEN_CODE_IDE_SERVER_PORT', { kind: 'new-terminal' }],
    ['two-companions', 'tandem run qwen', { kind: 'start-agent', agent: 'qwen' }],
    ['not-served', 'tandem stop --companion 4; tandem', { kind: 'settings' }],
    ['file-gone', 'tandem stop --companion 4; tandem', { kind: 'restart' }],
    ['wrong-token', 'tandem stop --companion 4', { kind: 'restart' }],
    ['ide-mode-off', 'tandem run qwen', { kind: 'type', command: '/ide enable', place: 'agent' }],
    [
      'wrong-token',
      'rm /home/me/.qwen/ide/1.lock',
      { kind: 'type', command: 'rm /home/me/.qwen/ide/1.lock', place: 'shell' },
    ],
    [
      'open-file',
      "chmod 600 '/home/me/tandem notes/1.lock'",
      { kind: 'type', command: "chmod 600 '/home/me/tandem notes/1.lock'", place: 'shell' },
    ],
  ])('of %s, fixed by %s, is an action that the window offers', (id, command, cure) => {
    expect(windowCure(found({ id, agent: 'qwen' }, command))).toEqual(cure);
  });

  test('of a missing hook installs the command, unless it is installed', () => {
    const missing = found({ id: 'missing-hook', agent: 'claude' }, 'tandem hook install claude');
    expect(windowCure(missing)).toMatchObject({
      command: 'npm install --global tandem-cli && tandem hook install claude',
      place: 'shell',
    });
    expect(windowCure(missing, 'tandem')).toMatchObject({ command: 'tandem hook install claude' });
  });
});
