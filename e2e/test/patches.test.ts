import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { useAgentGroup } from '../src/agentGroup.js';
import type { HookedAgent } from '../src/agents/agent.js';
import { copilot } from '../src/agents/copilot.js';
import { kilo, opencode } from '../src/agents/opencode.js';
import { responsesDialect } from '../src/model/responsesDialect.js';
import { call, type Turn } from '../src/model/turn.js';
import { installOnPath, throughTandem } from '../src/throughTandem.js';

/** Both offer `apply_patch` only to models with such a name. */
const named = JSON.stringify({
  model: 'scripted/gpt-5',
  provider: { scripted: { models: { 'gpt-5': { name: 'GPT' } } } },
});
const asText = (patchText: string): Turn => call('apply_patch', { patchText });
const gpt: HookedAgent = { ...copilot, dialect: responsesDialect };
const agents = [
  ['opencode', opencode, { OPENCODE_CONFIG_CONTENT: named }, asText],
  ['Kilo CLI', kilo, { KILO_CONFIG_CONTENT: named }, asText],
  [
    'Copilot CLI',
    gpt,
    { COPILOT_MODEL: 'gpt-5.5', COPILOT_PROVIDER_WIRE_API: 'responses' },
    (text: string) => call('apply_patch', { text }),
  ],
] as const;
const DOS = '\uFEFFone\r\ntwo\r\nthree\r\n';

describe.each(agents)(
  'a patch of %s that deletes and moves files',
  exhaustive,
  (_name, agent, env, patched) => {
    const group = useAgentGroup(agent, {
      before: ({ sandbox }) => installOnPath(agent, sandbox),
      start: () => ({ ...throughTandem(agent), env }),
    });

    /** The reviews of the file that is deleted, of the one that is moved, and of its new name. */
    async function proposed(text: string, end = '') {
      const { stage, running } = group.current;
      const [old, from] = [await stage.put('old.txt', 'gone\n'), await stage.put('from.txt', text)];
      const to = stage.path(`to${end}.txt`);
      const lines = [`*** Delete File: ${old}`, `*** Update File: ${from}`, `*** Move to: ${to}`];
      const hunk = ['@@', ' one', '-two', '+TWO', ' three'];
      await running.propose([patched(['*** Begin Patch', ...lines, ...hunk, '*** End Patch'].join('\n'))]);
      const ids = [];
      for (const path of [old, from, to]) {
        ids.push(await stage.tandem.nextReview({ agent: agent.kind, path }));
      }
      const [deletion = '', source = '', target = ''] = ids;
      return { stage, running, deletion, source, target, name: `to${end}.txt` };
    }

    it.each([
      ['one\ntwo\nthree\n', '-lf'],
      [DOS, '-crlf'],
    ])('carries out what the user accepted of %j', async (text, end) => {
      const { stage, running, deletion, source, target, name } = await proposed(text, end);
      const { stdout: shown } = await stage.tandem.run('review', 'show', target, '--content');
      for (const id of [deletion, source, target]) {
        expect(existsSync(stage.path('old.txt'))).toBe(true);
        await stage.tandem.accept(id);
      }
      await running.waitUntilDone();
      expect(existsSync(stage.path('old.txt'))).toBe(false);
      expect(existsSync(stage.path('from.txt'))).toBe(false);
      // Only Copilot CLI keeps the line ends of lines that a patch quotes.
      const after = text.replace('two', 'TWO');
      expect(shown).toBe(agent === gpt ? after : after.replaceAll('\r\n', '\n'));
      expect(await stage.read(name)).toBe(shown);
    });

    it('writes the corrected text under the new name', async () => {
      const { stage, running, deletion, source, target, name } = await proposed('one\ntwo\nthree\n', '-mine');
      for (const id of [deletion, source]) await stage.tandem.accept(id);
      await stage.tandem.accept(target, 'mine\n');
      await running.waitUntilDone();
      expect([existsSync(stage.path('old.txt')), existsSync(stage.path('from.txt'))]).toEqual([false, false]);
      expect(await stage.read(name)).toBe('mine\n');
    });

    it('leaves all files if one review was rejected', async () => {
      const { stage, running, deletion, source, target, name } = await proposed('one\ntwo\nthree\n', '-no');
      for (const id of [deletion, source]) await stage.tandem.accept(id);
      await stage.tandem.reject(target);
      await running.waitUntilDone();
      expect(await stage.read('old.txt')).toBe('gone\n');
      expect(await stage.read('from.txt')).toBe('one\ntwo\nthree\n');
      expect(existsSync(stage.path(name))).toBe(false);
    });
  },
);
