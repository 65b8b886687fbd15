import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { StartHost } from '../src/agentStart.js';
import { offerIdeMode } from '../src/ideModeOffer.js';

let host: StartHost;
let file: string;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'ide-mode-'));
  host = { platform: 'linux', home: root, tmpdir: root, cwd: root, env: {}, stateFolder: root };
  file = join(root, '.gemini', 'settings.json');
  mkdirSync(join(root, '.gemini'));
});
const offer = (answer: boolean) => offerIdeMode('gemini', host, async () => answer);

describe('the offer to switch IDE mode on', () => {
  test('adds to the settings of the user, and keeps what they have', async () => {
    writeFileSync(file, JSON.stringify({ ide: { other: 1 }, ui: { theme: 'x' } }));
    expect(await offer(true)).toBe(true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      ide: { other: 1, enabled: true, hasSeenNudge: true },
      ui: { theme: 'x' },
    });
  });

  test('changes nothing without a yes', async () => {
    expect(await offer(false)).toBe(false);
    expect(existsSync(file)).toBe(false);
  });

  test.each(['{ "ide": {} } // mine\n', '{ "ide": true }', '[]'])(
    'asks nothing if the settings are %s',
    async (text) => {
      writeFileSync(file, text);
      expect(await offer(true)).toBe(false);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  test('creates the settings of an agent that has none', async () => {
    expect(await offer(true)).toBe(true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ide: { enabled: true, hasSeenNudge: true } });
  });
});
