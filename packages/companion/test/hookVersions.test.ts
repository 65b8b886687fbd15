import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { versionsIn } from '../src/hooks/hookCommands.js';
import { noteEntry, removeUnused, unusedMs } from '../src/hooks/versions.js';

const old = 'fedcba9876543210';
const now = Date.now();

let root: string;
let all: string;
let settings: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hook-versions-')));
  all = join(root, 'hooks');
  settings = join(root, 'settings.json');
});
afterEach(() => rmSync(root, { recursive: true }));

/** A version that was last used so many milliseconds before `now`. */
function version(name: string, age = unusedMs + 60_000): string {
  const folder = join(all, name);
  mkdirSync(join(folder, 'claude'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'hook.mjs'), '');
  const usedAt = new Date(now - age);
  utimesSync(folder, usedAt, usedAt);
  return folder;
}

async function noted(): Promise<string> {
  const folder = version(old);
  await noteEntry(folder, settings);
  const usedAt = new Date(now - unusedMs - 60_000);
  utimesSync(folder, usedAt, usedAt);
  return folder;
}

const entry = (name: string): string => `{"command": "sh /s/hooks/${name}/hook.sh"}`;

it('removes what was not used for long, and nothing else', async () => {
  version(old);
  version('0123456789abcdef', unusedMs - 60_000);
  version('another folder');
  version('aaaaaaaaaaaaaaaa.removed', 0);
  await removeUnused(all, [settings], now);
  expect(readdirSync(all)).toEqual(['0123456789abcdef', 'another folder']);
});

it.each([
  ['names it', () => writeFileSync(settings, entry(old))],
  ['cannot be read', () => mkdirSync(settings)],
])('keeps a version whose noted file %s', async (_how, make) => {
  const folder = await noted();
  make();
  await removeUnused(all, [], now);
  expect(existsSync(folder)).toBe(true);
});

it.each([
  ['is gone', () => {}],
  ['names another one', () => writeFileSync(settings, entry('0123456789abcdef'))],
])('removes a version whose noted file %s', async (_how, make) => {
  const folder = await noted();
  make();
  await removeUnused(all, [], now);
  expect(existsSync(folder)).toBe(false);
});

it('keeps a version that a file of an agent names, although that was not noted', async () => {
  const folder = version(old);
  writeFileSync(settings, `node /s/hooks/${old}/hook.mjs`);
  await removeUnused(all, [settings], now);
  expect(existsSync(folder)).toBe(true);
});

it('keeps a version whose note cannot be read', async () => {
  const folder = await noted();
  writeFileSync(join(folder, 'named-in.json'), '{');
  const usedAt = new Date(now - unusedMs - 60_000);
  utimesSync(folder, usedAt, usedAt);
  await removeUnused(all, [], now);
  expect(existsSync(folder)).toBe(true);
});

it('does not follow links', async () => {
  const elsewhere = join(root, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'a.txt'), '');
  mkdirSync(all);
  symlinkSync(elsewhere, join(all, old));
  await removeUnused(all, [], now + 2 * unusedMs);
  expect(readdirSync(elsewhere)).toEqual(['a.txt']);
});

it.each([
  ['"sh /s/hooks/0123456789abcdef/hook.sh"', ['0123456789abcdef']],
  ['import("file:///s/hooks/0123456789abcdef/openCodePlugin.mjs")', ['0123456789abcdef']],
  ['/hooks/0123456789abcdef/other.mjs /hooks/0123/hook.mjs', []],
])('finds the versions in %j', (text, versions) => expect(versionsIn(text)).toEqual(versions));
