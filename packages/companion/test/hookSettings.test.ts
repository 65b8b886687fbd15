import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hookCommands } from '../src/hooks/hookCommands.js';
import { addHooks, ourHooks, removeHooks } from '../src/hooks/settingsText.js';

const starts = { script: "/it's/hooks/0123456789abcdef/hook.sh", node: '/n' };
const { call, event } = hookCommands(starts, 'claude', 'installed');
const group = (command: string) => ({ matcher: 'Edit', hooks: [{ type: 'command', command }] });
const other = group('theirs');
const entries = { PreToolUse: [group(call), group(event)], SessionEnd: [group(event)] };
const strict = { comments: false };
const lenient = { comments: true };

describe('hooks in the settings of an agent', () => {
  it.each([
    '{}',
    '{}\n',
    ' { }\n',
    '{\n}\n',
    '{"a":[1],"b":{}}',
    '{ "a": 1 }\n',
    '{\n\t"a": [\n\t\t1\n\t]\n}',
    '{\r\n    "a": 1\r\n}\r\n',
    '{"hooks":{}}',
    '{"hooks": {"Stop": []}, "z": 1}',
    '{\n  "hooks": {\n    "PreToolUse": [],\n    "Stop": []\n  }\n}\n',
    JSON.stringify({ model: 'x', hooks: { Stop: [other] }, env: { A: '1' } }),
    JSON.stringify({ hooks: { PreToolUse: [other], Stop: [] }, model: 'x' }, undefined, 4),
    JSON.stringify({ hooks: { PreToolUse: ['odd', { matcher: '' }, { hooks: [7] }] } }, undefined, 2),
    '{ "odd" :1 ,\n\n "hooks" : { "PreToolUse" : [ { "hooks":[ ] } ] } , "a,b": ["\\"}"] }',
  ])('are added and removed without a trace: %j [HOK-9]', (text) => {
    const added = addHooks(text, entries, strict);
    expect(ourHooks(added, strict)).toEqual(entries);
    const { hooks, ...rest } = JSON.parse(added);
    const { hooks: before = {}, ...same } = JSON.parse(text);
    expect(rest).toEqual(same);
    expect(hooks).toMatchObject(before.Stop === undefined ? {} : { Stop: before.Stop });
    expect(removeHooks(added, strict)).toBe(text);
  });

  it.each([
    '// first\n{\n  // all\n  "a": 1 // one\n  // last\n}\n',
    '{ /* none */ }',
    '{\n  "hooks": { // mine\n    "PreToolUse": [\n      {} /* a, b */\n      // end\n    ]\n  }\n}',
  ])('leave comments where they are: %j', (text) => {
    const added = addHooks(text, entries, lenient);
    expect(ourHooks(added, lenient)).toEqual(entries);
    expect(removeHooks(added, lenient)).toBe(text);
  });

  it('are added and removed without a trace in any settings', () => {
    const settings = fc.record({ a: fc.jsonValue(), z: fc.jsonValue() }, { requiredKeys: [] });
    const indent = fc.constantFrom('', '  ', '\t');
    fc.assert(
      fc.property(settings, indent, (value, indentation) => {
        const text = JSON.stringify(value, undefined, indentation);
        expect(removeHooks(addHooks(text, entries, strict), strict)).toBe(text);
      }),
    );
  });

  it('are all that is in a file that was missing', () => {
    const added = addHooks('', entries, strict);
    expect(added).toBe(`${JSON.stringify({ hooks: entries }, undefined, 2)}\n`);
    expect(removeHooks(added, strict)).toBeUndefined();
  });

  it('come after those of the user, in the style of the text', () => {
    const text = '{\n  "hooks": {\n    "PreToolUse": [\n      "odd"\n    ]\n  },\n  "model": "x"\n}\n';
    const added = addHooks(text, { PreToolUse: [7 as never, ...entries.PreToolUse.slice(1)] }, strict);
    expect(added).toBe(
      `${JSON.stringify({ hooks: { PreToolUse: ['odd', 7, group(event)] }, model: 'x' }, undefined, 2)}\n`,
    );
  });

  it('leave what the user has added behind them', () => {
    const added = addHooks('{\n  "a": 1\n}\n', entries, strict);
    const more = added
      .replace('"PreToolUse": [', '"PreToolUse": [\n      "mine",')
      .replace(/\n}\n$/, ',\n  "b": 2\n}\n');
    expect(removeHooks(more, strict)).toBe(
      `${JSON.stringify({ a: 1, hooks: { PreToolUse: ['mine'] }, b: 2 }, undefined, 2)}\n`,
    );
  });

  it('leave the other hooks of their group', () => {
    const mixed = { matcher: '*', hooks: [{ command: call }, { command: 'theirs' }, { command: event }] };
    expect(removeHooks(JSON.stringify({ hooks: { PreToolUse: [mixed] } }), strict)).toBe(
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: '*', hooks: [{ command: 'theirs' }] }] } }),
    );
  });

  it('take the place of earlier ones', () => {
    const line = '/usr/bin/node /old/tandem.js hook run claude --pid "$PPID" || exit 0';
    const text = JSON.stringify({ hooks: { PermissionRequest: [other, group(line)] } }, undefined, 2);
    const added = addHooks(text, entries, strict);
    expect(JSON.parse(added)).toEqual({ hooks: { PermissionRequest: [other], ...entries } });
  });

  it.each(['7', '[]', '{"hooks": []}', '{"hooks": "x"}', '{"hooks": {"PreToolUse": {}}}'])(
    'are refused by settings of another form: %j',
    (text) => {
      for (const use of [
        () => addHooks(text, entries, strict),
        () => removeHooks(text, strict),
        () => ourHooks(text, strict),
      ])
        expect(use).toThrow(TypeError);
    },
  );

  it.each([
    '{',
    '// secret\n{}',
    '{"secret": 1,}',
    '\ufeff{}',
    '{"secret" 1}',
    '{"secret": secret}',
    '{} secret',
    '["secret"',
  ])('are refused by what is no JSON, without quoting it: %j', (text) => {
    expect(() => ourHooks(text, strict)).toThrow(/^it is not valid JSON, which allows no comments/);
  });

  it.each(['{"secret": 1,}', '{ /* secret }', '{"a": 1 /secret/ }'])(
    'are refused by %j, also with comments',
    (text) => {
      expect(() => ourHooks(text, lenient)).toThrow(/^it is not valid JSON$/);
    },
  );
});
