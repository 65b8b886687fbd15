import { expect, it } from 'vitest';
import type { InstalledHook } from '../src/agentDiagnosis.js';
import { codexHooksOff, hashOf } from '../src/codex/hookTrust.js';

const hook = { matcher: 'apply_patch', command: 'run it', timeout: 600 };
const installed: InstalledHook[] = [{ event: 'PreToolUse', place: [1, 0], ...hook }];
const hash = hashOf('pre_tool_use', hook);

function trust(value: string, key = '/home/u/.codex/hooks.json:pre_tool_use:1:0'): string {
  return `model = "m"\n\n[hooks.state."${key}"]\ntrusted_hash = "${value}"\n`;
}
const offBy = (text: string, hooks = installed) =>
  codexHooksOff({ layers: [], texts: [text], managed: undefined, env: {}, installed: hooks });

it('knows hooks of Codex CLI that the user has trusted', () => {
  expect(offBy(trust(hash))).toBeUndefined();
  expect(offBy(trust(hash, '/link/hooks.json:pre_tool_use:1:0'))).toBeUndefined();
  expect(offBy('', [])).toBeUndefined();
});

it.each([
  ['no hook', ''],
  ['what the hook was before', trust(hashOf('pre_tool_use', { ...hook, timeout: 60 }))],
  ['another place', trust(hash, '/home/u/.codex/hooks.json:pre_tool_use:0:0')],
  ['another event', trust(hash, '/home/u/.codex/hooks.json:post_tool_use:1:0')],
  ['something else', `[other]\n${trust(hash).replace('hooks.state', 'hooks.more')}`],
])('knows that the user has trusted %s', (_what, text) => {
  expect(offBy(text)).toMatchObject({ cause: expect.stringContaining('trust'), command: 'codex' });
});

it.each(['[features]\nhooks = false', 'features.hooks = false # none', '[features] # x\n\nhooks=false'])(
  'knows the setting that turns them off: %j',
  (text) => {
    expect(offBy(`${text}\n${trust(hash)}`)?.cause).toContain('[features]');
  },
);

it.each(['[features]\nhooks = true', '[other]\nhooks = false', '# features.hooks = false'])(
  'knows other settings: %j',
  (text) => {
    expect(offBy(`${text}\n${trust(hash)}`)).toBeUndefined();
  },
);
