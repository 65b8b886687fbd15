import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { connectClaude } from '../src/mcpAgent.js';
import { Desk, useSite } from '../src/vscodeSite.js';

const site = useSite();
const run = promisify(execFile);

describe('the terminals of a window', () => {
  it('know how each agent reaches the companion of this very window', async () => {
    const first = await site.current.open({ 'a.txt': 'a\n' });
    const second = await Desk.open(site.current, first.folder, [first]);
    for (const desk of [first, second]) {
      await desk.window.bringToFront();
      const terminal = await desk.window.openTerminal();
      for (const kind of ['claude', 'gemini', 'qwen']) {
        const { env } = await desk.companion.endpoint(kind);
        for (const [name, value] of Object.entries(env)) {
          expect(await terminal.run(`[ "$${name}" = '${value}' ] && echo same`), name).toBe('same');
        }
      }
    }
    const [one, other] = [
      await first.companion.endpoint('claude'),
      await second.companion.endpoint('claude'),
    ];
    expect(one.env.CLAUDE_CODE_SSE_PORT).not.toBe(other.env.CLAUDE_CODE_SSE_PORT);
  });

  it('elsewhere get them by a command that is copied', async () => {
    const desk = await site.current.open();
    await desk.window.command('Tandem: Copy Connect Command');
    await desk.window.notification(/cop/i).waitFor();
    const copied = await desk.window.page.evaluate(() => navigator.clipboard.readText());
    const { env } = await desk.companion.endpoint('claude');
    const { stdout } = await run('/bin/bash', ['-c', `${copied}\necho "$CLAUDE_CODE_SSE_PORT"`], {
      env: { PATH: process.env.PATH },
    });
    expect(stdout.trim()).toBe(env.CLAUDE_CODE_SSE_PORT);
  });

  it('start an agent by a command', async () => {
    const desk = await site.current.open();
    const { sandbox } = desk.site;
    await sandbox.write(`${sandbox.bin}/claude`, '#!/bin/sh\necho "started with $*"\n', 0o755);
    await desk.window.command('Tandem: Start Claude Code in a Terminal');
    await desk.window.page
      .locator('.terminal-wrapper.active .xterm-rows')
      .filter({ hasText: 'started with --permission-mode default' })
      .waitFor();
  });
});

describe('Claude Code', () => {
  it('is told of a mentioned selection and of a mentioned file', async () => {
    const desk = await site.current.open({ 'a.txt': 'one\ntwo\nthree\n' });
    const claude = await connectClaude(desk.companion);
    await desk.openFile('a.txt');
    await desk.window.select(2, 1, 5);
    await desk.window.command('Tandem: Mention Selection');
    const lines = await claude.told('at_mentioned', () => true);
    expect(lines.params).toEqual({ filePath: desk.path('a.txt'), lineStart: 1, lineEnd: 2 });
    await desk.window.command('Tandem: Mention File');
    const file = await claude.told('at_mentioned', () => true);
    expect(file.params).toEqual({ filePath: desk.path('a.txt') });
  });
});
