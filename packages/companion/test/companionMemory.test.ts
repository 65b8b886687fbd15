import { mkdtempSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@tandem/core';
import { afterEach, describe, expect, it } from 'vitest';
import { CompanionMemory } from '../src/companionMemory.js';
import type { SavedCompanion } from '../src/savedCompanion.js';

/** Beyond what Linux gives to a process. */
const deadPid = 2 ** 22 + 1;

const opened: CompanionMemory[] = [];
afterEach(() => {
  for (const memory of opened.splice(0)) memory.close();
});

const newFolder = () => join(mkdtempSync(join(tmpdir(), 'memory-')), 'companions');

function open(folder: string, window: string, pid?: number): CompanionMemory {
  const memory = CompanionMemory.open({ folder, window, logger: silentLogger, ...(pid && { pid }) });
  opened.push(memory);
  return memory;
}

function saved(port: number): SavedCompanion {
  const session = { agent: 'gemini', id: 'one', client: { name: 'a', version: '1' }, protocolVersion: '2' };
  return { port, tokens: { gemini: 'secret' }, sessions: [session], reviews: [] };
}

describe('the memory of a companion', () => {
  it('gives what one has left that ended, once', () => {
    const folder = newFolder();
    open(folder, 'a').write(saved(1000), { hasEnded: true });
    expect(open(folder, 'b').take()).toEqual(saved(1000));
    expect(open(folder, 'c').take()).toBeUndefined();
  });

  it('gives what one has left that was killed', () => {
    const folder = newFolder();
    open(folder, 'a', deadPid).write(saved(1000));
    expect(open(folder, 'a').take()).toEqual(saved(1000));
  });

  it('takes nothing from one that lives', () => {
    const folder = newFolder();
    open(folder, 'a').write(saved(1000));
    expect(open(folder, 'b').take()).toBeUndefined();
  });

  it("takes its own window's before another's that ended later", () => {
    const folder = newFolder();
    open(folder, 'a', deadPid).write(saved(1000));
    open(folder, 'b', deadPid).write(saved(2000));
    expect(open(folder, 'a').take()?.port).toBe(1000);
    expect(open(folder, 'c').take()?.port).toBe(2000);
  });

  it('expects no agent of one that ended long ago, and forgets it after a day', () => {
    const folder = newFolder();
    const write = (age: number): void => {
      open(folder, 'a', deadPid).write(saved(1000));
      const at = new Date(Date.now() - age);
      for (const name of readdirSync(folder)) utimesSync(join(folder, name), at, at);
    };
    write(5 * 60_000);
    expect(open(folder, 'a').take()).toEqual({ ...saved(1000), sessions: [] });
    write(25 * 60 * 60_000);
    expect(open(folder, 'a').take()).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('clears away what it cannot read', () => {
    const folder = newFolder();
    open(folder, 'a');
    writeFileSync(join(folder, 'broken.json'), '{');
    expect(open(folder, 'a').take()).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is private, for it holds tokens', () => {
    const folder = newFolder();
    open(folder, 'a').write(saved(1000));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });
});
