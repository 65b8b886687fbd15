import { describe, expect, it } from 'vitest';
import { hooks as claude } from '../src/claude/hooks.js';
import { hooks as gemini } from '../src/gemini/hooks.js';
import { addHooks, hookCommands, removeHooks } from '../src/index.js';

const ours = 'ours';
const isOurs = (command: string): boolean => command === ours;
const group = (command: string) => ({ matcher: 'Edit', hooks: [{ type: 'command', command }] });
const other = group('theirs');
const entries = { PreToolUse: [group(ours)], SessionEnd: [group(ours)] };

describe('hooks in the settings of an agent', () => {
  it.each([
    {},
    { model: 'x', hooks: { Stop: [other] }, env: { A: '1' } },
    { hooks: { PreToolUse: [other], Stop: [] }, model: 'x' },
    { hooks: { PreToolUse: ['odd', { matcher: '' }, { hooks: [7] }] } },
  ])('are added and removed without a trace: %j [HOK-9]', (settings) => {
    const added = addHooks(settings, entries);
    expect(hookCommands(added).filter(isOurs)).toEqual([ours, ours]);
    expect(Object.keys(added)).toEqual(expect.arrayContaining(Object.keys(settings)));
    expect(JSON.stringify(removeHooks(added, isOurs))).toBe(JSON.stringify(settings));
  });

  it('come after those of the user, which stay as they are', () => {
    expect(addHooks({ hooks: { PreToolUse: [other] } }, entries)).toEqual({
      hooks: { PreToolUse: [other, group(ours)], SessionEnd: [group(ours)] },
    });
  });

  it('leave the other hooks of their group', () => {
    const mixed = { matcher: '*', hooks: [{ command: ours }, { command: 'theirs' }] };
    expect(removeHooks({ hooks: { PreToolUse: [mixed] } }, isOurs)).toEqual({
      hooks: { PreToolUse: [{ matcher: '*', hooks: [{ command: 'theirs' }] }] },
    });
  });

  it.each([7, [], { hooks: [] }, { hooks: 'x' }, { hooks: { PreToolUse: {} } }])(
    'are refused by settings of another form: %j',
    (settings) => {
      expect(() => addHooks(settings, entries)).toThrow(TypeError);
      expect(() => removeHooks(settings, isOurs)).toThrow(TypeError);
      expect(() => hookCommands(settings)).toThrow(TypeError);
    },
  );
});

it.each([
  ['Claude Code', claude, 86_400],
  ['Gemini CLI', gemini, 86_400_000],
])('the hook of an edit of %s may wait for a day', (_name, { entries: of }, timeout) => {
  const [first = {}] = Object.values(of?.('c') ?? {});
  expect(first).toEqual([
    { matcher: expect.any(String), hooks: [expect.objectContaining({ command: 'c', timeout })] },
  ]);
});
