import { Turns } from '@tandem/core';
import { describe, expect, it } from 'vitest';

describe('turns', () => {
  it('begin at once, and then follow each other in the order of the calls', async () => {
    const turns = new Turns();
    const seen: string[] = [];
    const task = (name: string) => async (): Promise<string> => {
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} ends`);
      return name;
    };
    const all = [turns.run(task('a')), turns.run(task('b')), turns.run(task('c'))];
    expect(seen).toEqual(['a begins']);
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    await turns.ended();
    void turns.run(task('d'));
    expect(seen.at(-1)).toBe('d begins');
  });

  it('go on after a failure, which only its caller sees', async () => {
    const turns = new Turns();
    const failed = turns.run(() => Promise.reject(new Error('no')));
    const next = turns.run(async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
    await turns.ended();
  });
});
