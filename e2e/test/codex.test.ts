import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codex, lastPrompt } from '../src/agents/codex.js';
import { say } from '../src/model/turn.js';
import { openSandbox, serve, startAgent } from '../src/stage.js';

describe(codex.name, () => {
  it('receives the context with each prompt from the companion whose folder is innermost, also after the owner of the socket is killed [CDX-8 CDX-9 CDX-20 CDX-21 CDX-27]', async () => {
    const sandbox = await openSandbox();
    const [outer, inner] = [await sandbox.folder('outer'), await sandbox.folder('outer/inner')];
    const first = await serve(sandbox, outer);
    const second = await serve(sandbox, inner);
    const file = await sandbox.write(join(inner, 'src/a.txt'), 'one\ntwo marker-77 lines\nthree\n');
    const secret = await sandbox.write(join(inner, '.env'), 'TOKEN=hunter2\n');
    await sandbox.write(join(outer, 'other.txt'), 'other\n');
    await first.run('focus', join(outer, 'other.txt'));
    await second.run('focus', secret);
    await second.run('focus', `${file}:2:5-3:6`);

    const { terminal, model } = await startAgent(codex, sandbox, inner);
    await terminal.submit('/ide');
    await terminal.waitFor('IDE context is on');
    const { client } = await second.waitForEvent('session.connected', { agent: 'codex' });
    expect(client).toEqual({ name: 'codex-tui', version: '' });
    expect((await second.run('status')).stdout).toMatch(/Codex CLI +last request \d+ s ago \(codex-tui\)/);
    model.script(say('First answer.'));
    await terminal.submit('what is this');
    await terminal.waitFor('First answer.');
    const range = '- src/a.txt: line 2, column 5 to line 3, column 6';
    expect(lastPrompt(model)).toBe(`# Context from my IDE setup:

## Active file: src/a.txt

## Active selection ranges:
${range}
${range}

## Active selection of the file:
marker-77 lines
three
## Open tabs:
- a.txt: src/a.txt

## My request for Codex:
what is this`);
    for (const held of ['.env', 'hunter2', 'other.txt']) expect(model.quotesOf(held)).toEqual([]);

    // It owns the socket, because it started first.
    await first.kill();
    await second.run('focus', `${file}:1`);
    model.script(say('Second answer.'));
    await terminal.submit('and now');
    await terminal.waitFor('Second answer.');
    expect(lastPrompt(model)).toContain('## Active file: src/a.txt\n');
    expect(lastPrompt(model)).not.toContain('selection');
    expect(lastPrompt(model)).toContain('and now');

    await second.run('share', 'pause');
    model.script(say('Third answer.'));
    await terminal.submit('what do you see');
    await terminal.waitFor('Third answer.');
    expect(lastPrompt(model)).toBe('what do you see');
  });
});
