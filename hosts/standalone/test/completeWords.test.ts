import { agentIds } from '@tandem/companion/agents';
import { describe, expect, test } from 'vitest';
import { completeWords } from '../src/completeWords.js';
import { createProgram } from '../src/program.js';

const program = createProgram('1.0.0');
const complete = async (...words: string[]) => {
  const { candidates, others } = await completeWords(program, words.slice(0, -1), words.at(-1) ?? '');
  return { values: candidates.map(({ value }) => value), others };
};

describe('completing the command line', () => {
  test('offers commands, but no hidden ones', async () => {
    const { values, others } = await complete('');
    expect(values).toEqual(expect.arrayContaining(['serve', 'run', 'review', 'focus', 'completion']));
    expect(values).not.toContain('complete');
    expect(others).toBe('none');
    expect((await complete('st')).values).toEqual(['stop', 'status']);
  });

  test('offers the commands of a command', async () => {
    expect((await complete('review', 'a')).values).toEqual(['accept', 'action', 'apply']);
    expect((await complete('share', '')).values).toEqual(['pause', 'resume']);
  });

  test('offers options, also after others', async () => {
    expect((await complete('serve', '--r')).values).toEqual(['--record', '--record-contents']);
    expect((await complete('review', 'accept', '--json', '--c')).values).toEqual([
      '--content-file',
      '--companion',
    ]);
  });

  test('offers the values of options, in all three forms that shells pass', async () => {
    expect((await complete('env', '--shell', 'z')).values).toEqual(['zsh']);
    expect((await complete('env', '--shell', '=', 'z')).values).toEqual(['zsh']);
    expect((await complete('env', '--shell=z')).values).toEqual(['--shell=zsh']);
    expect((await complete('serve', '--agents', '')).values).toEqual(agentIds);
    expect((await complete('serve', '--deny', 'x')).values).toEqual([]);
  });

  test('offers agents, then files', async () => {
    expect((await complete('run', '')).values).toEqual(agentIds);
    expect(await complete('run', 'claude', '')).toEqual({ values: [], others: 'files' });
    expect(await complete('run', 'claude', '--mod')).toEqual({ values: [], others: 'files' });
  });

  test('leaves files and folders to the shell where they are valid', async () => {
    expect((await complete('focus', 'src/')).others).toBe('files');
    expect((await complete('mention', '')).others).toBe('files');
    expect((await complete('serve', '')).others).toBe('folders');
    expect((await complete('serve', 'a', 'b', '')).others).toBe('folders');
    expect((await complete('serve', '--record', '')).others).toBe('files');
    expect((await complete('review', 'accept', '--content-file', '')).others).toBe('files');
    expect(await complete('focus', 'a.ts', '')).toEqual({ values: [], others: 'none' });
    expect(await complete('review', 'keep', '')).toEqual({ values: [], others: 'none' });
  });

  test('offers nothing, and does not fail, if no companion runs', async () => {
    expect(await complete('review', 'show', '')).toEqual({ values: [], others: 'none' });
    expect(await complete('status', '--companion', '')).toEqual({ values: [], others: 'none' });
    expect(await complete('nonsense', 'more', '')).toEqual({ values: [], others: 'none' });
  });
});
