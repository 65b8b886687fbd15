import { expect, it } from 'vitest';
import { parseSettings, printSettings } from '../src/commands/hook.js';

it.each([
  ['{\n  "a": [\n    1\n  ],\n  "b": {}\n}\n'],
  ['{\n\t"a": [\n\t\t1\n\t]\n}'],
  ['{\r\n    "a": 1\r\n}\r\n'],
  ['{"a":[1],"b":{}}'],
  ['{"a":[1]}\n'],
])('prints settings in the format of their text: %j', (text) => {
  expect(printSettings(parseSettings(text), text)).toBe(text);
});

it.each(['', ' \n', '{}', '{}\n'])('formats the first setting in %j', (text) => {
  expect(parseSettings(text)).toEqual({});
  expect(printSettings({ a: 1 }, text).trim()).toBe('{\n  "a": 1\n}');
});

it.each(['{', '// secret\n{}', '{"secret": 1,}', '\ufeff{}'])('refuses %j without quoting it', (text) => {
  expect(() => parseSettings(text)).toThrow(/^it is not valid JSON/);
});
