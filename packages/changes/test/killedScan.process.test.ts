import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from './support/builtWorker.js';
import { Scanned } from './support/scanned.js';

const files = 120;
const kills = 12;
let program: string;

beforeAll(async () => {
  program = await buildProgram();
});

/** Runs the program until it has said so many steps, then kills it. Returns whether it was still running. */
async function runAndKill(scanned: Scanned, steps: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, scanned.root, scanned.store], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = 0;
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes.length;
    if (said >= steps) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close');
  return signal === 'SIGKILL';
}

describe('a scan whose process is killed, at any step', () => {
  it('takes its store over, and reports only what is true', async () => {
    const scanned = new Scanned({ denyList: [] });
    /** All that each file has contained. */
    const contents = Array.from({ length: files }, () => new Set<string>());
    const write = (at: number, text: string): void => {
      writeFileSync(join(scanned.root, `${at}`), text);
      contents[at]?.add(createHash('sha256').update(text).digest('hex'));
    };
    for (let at = 0; at < files; at += 1) write(at, `first ${at} ${'x'.repeat(at * 10)}`);
    scanned.look();
    scanned.readAll();
    scanned.scan.answer({ kind: 'close' });
    let killed = 0;
    for (let round = 0; round < kills; round += 1) {
      for (let at = round; at < files; at += 3) write(at, `round ${round} ${at}`);
      if (await runAndKill(scanned, 1 + round)) killed += 1;
    }
    expect(killed).toBeGreaterThan(0);
    for (let at = 0; at < files; at += 1) write(at, `last ${at}`);
    scanned.killAndRestart();
    const changes = scanned.look();
    expect(changes).toHaveLength(files);
    for (const { path, before, after } of changes) {
      if (before.kind !== 'file' || after.kind !== 'file') throw new Error(`${path} was not known.`);
      expect(contents[Number(path)]).toContain(before.hash);
      expect(before.hash).not.toBe(after.hash);
      expect(scanned.content(before)).toBeDefined();
      expect(scanned.content(after)?.toString()).toBe(`last ${path}`);
    }
  });
});
