import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { applyChunks } from '../../packages/agents/src/hooks/applyChunks.js';
import { formatPatch, parsePatch, writing } from '../../packages/agents/src/hooks/patch.js';
import { exhaustive } from '../../test/exhaustive.js';
import { useAgentGroup } from '../src/agentGroup.js';
import { applyPatch, codex } from '../src/agents/codex.js';
import { call } from '../src/model/turn.js';
import { pinned } from '../src/pinnedPrograms.js';
import { installOnPath, throughTandem } from '../src/throughTandem.js';

const group = useAgentGroup(codex, {
  before: ({ sandbox }) => installOnPath(codex, sandbox),
  start: () => throughTandem(codex, ['--dangerously-bypass-approvals-and-sandbox']),
});

describe('Codex CLI, started by tandem run', () => {
  it('writes several files of a patch after one decision about each, with the line ends that they have', async () => {
    const { stage, running } = group.current;
    const settings = `${stage.sandbox.home}/.codex/config.toml`;
    const before = await readFile(settings, 'utf8');
    const dos = await stage.put('dos.txt', '\uFEFFone\r\ntwo\r\nthree\r\n');
    const unix = await stage.put('unix.txt', 'a\nb\nc\nd\n');
    await running.propose([
      applyPatch(
        '*** Update File: dos.txt',
        '@@',
        '-two',
        '+TWO',
        '*** Update File: unix.txt',
        '@@',
        '-a',
        '+A',
        '@@',
        '-d',
        '+D',
        '*** Add File: folder/new.txt',
        '+new',
      ),
    ]);
    const reviews = [];
    for (const path of [dos, unix, stage.path('folder/new.txt')]) {
      reviews.push(await stage.tandem.nextReview({ agent: 'codex', path }));
    }
    const [first = '', second = '', third = ''] = reviews;
    await stage.tandem.accept(first, '\uFEFFone\r\nTWO, corrected\r\nmore\r\nthree\r\n');
    await stage.tandem.run('review', 'drop', second, '1');
    await stage.tandem.accept(second);
    expect(await stage.read('unix.txt')).toBe('a\nb\nc\nd\n');
    await stage.tandem.accept(third);
    await running.waitUntilDone();
    expect(await stage.read('dos.txt')).toBe('\uFEFFone\r\nTWO, corrected\r\nmore\r\nthree\r\n');
    expect(await stage.read('unix.txt')).toBe('a\nb\nc\nD\n');
    expect(await stage.read('folder/new.txt')).toBe('new\n');
    expect(await readFile(settings, 'utf8')).toBe(before);
  });

  it('holds a patch that a shell command applies in another folder, and no other shell command', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('inner/shell.txt', 'one\ntwo\n');
    const patch = '*** Begin Patch\n*** Update File: shell.txt\n@@\n-two\n+TWO\n*** End Patch\n';
    const cmd = `apply_patch <<'EOF'\n${patch}EOF\n`;
    await running.propose([
      call('exec_command', { cmd: 'echo first > inner/first.txt' }),
      call('exec_command', { cmd, workdir: stage.path('inner') }),
    ]);
    const review = await stage.tandem.nextReview({ agent: 'codex', path });
    expect(await stage.read('inner/first.txt')).toBe('first\n');
    await stage.tandem.accept(review, "one\n$HOME isn't it\n");
    await running.waitUntilDone();
    expect(await stage.read('inner/shell.txt')).toBe("one\n$HOME isn't it\n");
  });

  it('deletes and moves a file after one decision about each name, and writes a corrected text to the new one', async () => {
    const { stage, running } = group.current;
    const deleted = await stage.put('deleted.txt', 'one\n');
    const old = await stage.put('old.txt', 'one\r\ntwo\r\n');
    await running.propose([
      applyPatch('*** Delete File: deleted.txt'),
      applyPatch('*** Update File: old.txt', '*** Move to: new.txt', '@@', '-two', '+TWO'),
    ]);
    const deletion = await stage.tandem.nextReview({ agent: 'codex', path: deleted });
    const { stdout } = await stage.tandem.run('review', 'show', deletion);
    expect(stdout).toContain('If you accept, the agent deletes this file.');
    await stage.tandem.accept(deletion);
    const moved = await stage.tandem.nextReview({ agent: 'codex', path: stage.path('new.txt') });
    await expect(stage.read('deleted.txt')).rejects.toThrow('ENOENT');
    await stage.tandem.accept(moved, 'one\r\nTWO, corrected\r\n');
    await stage.tandem.accept(await stage.tandem.nextReview({ agent: 'codex', path: old }));
    await running.waitUntilDone();
    expect(await stage.read('new.txt')).toBe('one\r\nTWO, corrected\r\n');
    await expect(stage.read('old.txt')).rejects.toThrow('ENOENT');
    await stage.tandem.run('restore', deletion);
    expect(await stage.read('deleted.txt')).toBe('one\n');
  });
});

describe('Codex CLI that asks, whose mode is followed', exhaustive, () => {
  const followed = useAgentGroup(codex, {
    before: ({ sandbox }) => installOnPath(codex, sandbox),
    start: () =>
      throughTandem(
        codex,
        ['--sandbox', 'read-only', '--ask-for-approval', 'on-request'],
        ['--hooks', 'follow'],
      ),
  });

  it('writes a corrected text once its model has sent it, without a second question', async () => {
    const { stage, running } = followed.current;
    const path = await stage.put('followed.txt', 'one\ntwo\n');
    const update = (text: string) => applyPatch('*** Update File: followed.txt', '-two', `+${text}`);
    await running.propose([update('TWO'), update('mine')]);
    const review = await stage.tandem.nextReview({ agent: 'codex', path });
    await stage.tandem.accept(review, 'one\nmine\n');
    await running.waitUntilDone();
    expect(running.model.toolResults.at(-2)).toContain('Write exactly this text');
    expect(await stage.read('followed.txt')).toBe('one\nmine\n');
  });
});

describe('a patch', () => {
  const files = [
    '',
    'one\ntwo\nthree\ntwo\n',
    'one\r\ntwo\r\nthree',
    '\uFEFFone\ntwo\r\nthree\rfour\n',
    '  one \n\ttwo\n\nthree\n\n',
    '\u201cone\u201d \u2014 two\ntwo\u00a0\nthree\u0085\n',
  ];
  const changes = [
    ['@@', '-two', '+TWO'],
    [' one', '-two', '+TWO', ' three'],
    ['@@ three', '-two', '+TWO', '+more', ''],
    ['@@', '-two', '+TWO', '*** End of File', ''],
    ['@@', '-"one" - two', '+ONE', '@@', '+last'],
    ['@@', '-three', '-', '+3', '+'],
    ['@@', '-one', '@@', '-three', '-'],
    ['@@', '-\uFEFFone', '+first'],
    ['@@ two ', '+a\r', '+b\r\r'],
    ['@@', ' three', ' *** End Patch'],
  ];

  it('is applied exactly as Codex CLI applies it, and written as it reads it', async () => {
    const { stage } = group.current;
    const compared = { equal: 0, refused: 0 };
    const apply = async (file: string, patch: string): Promise<string | undefined> => {
      await stage.put('patched.txt', file);
      // It is the program of its tool under this name.
      const { status } = spawnSync(pinned.codex, [patch], { argv0: 'apply_patch', cwd: stage.path('.') });
      return status === 0 ? await stage.read('patched.txt') : undefined;
    };
    for (const file of files) {
      for (const lines of changes) {
        const patch = ['*** Begin Patch', '*** Update File: patched.txt', ...lines, '*** End Patch'].join(
          '\n',
        );
        const [operation] = parsePatch(patch) ?? [];
        const ours = operation?.kind === 'update' ? applyChunks(file, operation.chunks) : undefined;
        expect(await apply(file, patch), JSON.stringify({ file, patch })).toBe(ours);
        compared[ours === undefined ? 'refused' : 'equal'] += 1;
      }
      for (const wanted of files) {
        const operation = writing('patched.txt', file, wanted);
        if (operation !== undefined) expect(await apply(file, formatPatch([operation]))).toBe(wanted);
      }
    }
    expect(compared.equal).toBeGreaterThan(20);
    expect(compared.refused).toBeGreaterThan(20);
  });
});
