import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { agentKinds, connectAgent, connectClaude } from '../src/mcpAgent.js';
import { type Desk, useSite } from '../src/vscodeSite.js';

const site = useSite();
const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';

/** The addresses of all agents, and the token of the one that is connected: only its token is needed again. */
async function endpointsOf({ companion }: Desk): Promise<object> {
  const all = await Promise.all(agentKinds.map((kind) => companion.endpoint(kind)));
  const { token } = await companion.endpoint('gemini');
  return { urls: all.map(({ url }) => url), token };
}

describe('a window', () => {
  it('keeps port, tokens, sessions, pending reviews and edits when it is reloaded', async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE });
    const gemini = await connectAgent(desk.companion, 'gemini');
    const before = await endpointsOf(desk);
    const proposed = await gemini.propose(desk.path('a.txt'), PROPOSED);
    await desk.window.diff.appendToLine('TWO', ' and mine');
    await desk.window.reload();
    const again = await desk.reconnect();
    expect(await endpointsOf(again)).toEqual(before);
    // The new tab replaces the old one, if VS Code restored that.
    await again.window.diff.waitForLine('TWO and mine');
    await expect.poll(() => again.window.tab('change by').count()).toBe(1);
    await gemini.comeBack();
    await again.window.diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: 'one\nTWO and mine\nthree\n' });
    // The old session proposes again.
    const next = await gemini.connectedTo(again.companion).propose(desk.path('a.txt'), PROPOSED);
    await again.window.diff.reject.click();
    expect(await next.answer()).toEqual({ kind: 'rejected' });
    const log = await site.current.server.log('remoteexthost.log');
    expect(log).toContain('Extension host terminating');
    expect(log).not.toContain('tandem-vscode-0.1.0/dist');
  });

  it('continues after its extension host was killed, and removes the files that were left', async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    const gemini = await connectAgent(desk.companion, 'gemini');
    const before = await endpointsOf(desk);
    const pending = await gemini.propose(desk.path('a.txt'), PROPOSED);
    await desk.window.diff.appendToLine('TWO', ' and mine');
    // If it is killed before it saves the document, VS Code asks about saving.
    await desk.window.pause();
    await expect.poll(() => site.current.server.kept(desk.companion.pid)).toContain('TWO and mine');
    const left = await discoveryFiles(desk);
    const killed = desk.companion.pid;
    const closed = await site.current.server.closedDiffs();
    desk.killExtensionHost();
    // VS Code starts another one by itself.
    const again = await desk.reconnect();
    expect(await endpointsOf(again)).toEqual(before);
    await gemini.comeBack();
    await expect.poll(() => site.current.server.closedDiffs()).toBeGreaterThan(closed);
    await again.window.diff.waitForLine('TWO and mine');
    await again.window.diff.accept.click();
    expect(await pending.answer()).toEqual({ kind: 'accepted', content: 'one\nTWO and mine\nthree\n' });

    const claude = await connectClaude(again.companion);
    const proposed = await claude.propose(desk.path('b.txt'), PROPOSED);
    await again.window.diff.waitForLine('TWO');
    await again.window.diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: PROPOSED });
    const names = await readdir(join(site.current.sandbox.state, 'tandem/companions'));
    expect(names.filter((name) => name.includes(`-${killed}-`))).toEqual([]);
    // One file for each agent, as before.
    expect((await discoveryFiles(again)).length).toBe(left.length);
  });

  it('keeps what was typed while its extension host hung and was then killed', exhaustive, async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE });
    const gemini = await connectAgent(desk.companion, 'gemini');
    const pending = await gemini.propose(desk.path('a.txt'), PROPOSED);
    await desk.window.diff.waitForLine('TWO');
    await expect.poll(() => site.current.server.kept(desk.companion.pid)).toContain('TWO');
    const { pid } = desk.companion;
    process.kill(pid, 'SIGSTOP');
    await desk.window.diff.appendToLine('TWO', ' and mine');
    const closed = await site.current.server.closedDiffs();
    desk.killExtensionHost();
    const again = await desk.reconnect();
    await gemini.comeBack();
    await expect.poll(() => site.current.server.closedDiffs()).toBeGreaterThan(closed);
    await expect.poll(() => again.window.tab('change by').count()).toBe(1);
    await again.window.diff.waitForLine('TWO and mine');
    expect(await again.window.dialog().count()).toBe(0);
    await again.window.diff.accept.click();
    expect(await pending.answer()).toEqual({ kind: 'accepted', content: 'one\nTWO and mine\nthree\n' });
  });

  it('activates before it starts its companion', exhaustive, async () => {
    const { server } = site.current;
    const order = async () =>
      [...(await server.log('Tandem.log')).matchAll(/\[info\] (activated|started) \{/g)]
        .map(([, event]) => event)
        .join(' ');
    // Without the earlier tests.
    if ((await order()) === '') await site.current.open();
    // Each window has its own log; here they are concatenated.
    await expect.poll(order).toMatch(/^(activated( started)+ ?)+$/);
  });
});

/** The discovery files of a desk's companion. */
async function discoveryFiles({ companion }: Desk): Promise<string[]> {
  const all = await Promise.all(agentKinds.map((kind) => companion.endpoint(kind)));
  return all.flatMap(({ discovery }) => discovery);
}
