import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectAgent, connectClaude } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const site = useSite();
const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';

describe('a window', () => {
  it('keeps port, tokens and pending reviews with what was typed when it is loaded anew', async () => {
    const desk = await site.current.open({ 'a.txt': BEFORE });
    const gemini = await connectAgent(desk.companion, 'gemini');
    const before = await Promise.all(
      ['claude', 'gemini', 'qwen'].map((kind) => desk.companion.endpoint(kind)),
    );
    const proposed = await gemini.propose(desk.path('a.txt'), PROPOSED);
    await desk.window.diff.appendToLine('TWO', ' and mine');
    await desk.window.pause();
    await desk.window.reload();
    const again = await desk.reconnect();
    const after = await Promise.all(
      ['claude', 'gemini', 'qwen'].map((kind) => again.companion.endpoint(kind)),
    );
    expect(after.map(({ url, token }) => ({ url, token }))).toEqual(
      before.map(({ url, token }) => ({ url, token })),
    );
    expect(proposed.id).not.toBe('');
    await again.window.diff.waitForLine('TWO and mine');
  });

  it('goes on when its extension host was killed, and what that left is swept', async () => {
    const desk = await site.current.open({ 'a.txt': BEFORE });
    const killed = desk.companion.pid;
    process.kill(killed, 'SIGKILL');
    // VS Code starts another one by itself.
    const again = await desk.reconnect();
    const claude = await connectClaude(again.companion);
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    await again.window.diff.waitForLine('TWO');
    await again.window.diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: PROPOSED });
    const names = await readdir(join(site.current.sandbox.state, 'tandem/companions'));
    expect(names.filter((name) => name.includes(`-${killed}-`))).toEqual([]);
  });

  it('without a folder says what is needed', async () => {
    const window = await site.current.openWindow();
    await window.command('Tandem: Show Status');
    await window
      .row(/folder/i)
      .first()
      .waitFor();
  });
});
