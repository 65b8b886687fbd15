import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeFeedback } from '@tandem/reviews';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeReview } from '../support/makeReview.js';

/** What a shell would run, or write to, if it came from a name or a line of a file. */
const hostileParts = [
  '$(owned)',
  '`owned`',
  ';owned;',
  '&owned&',
  '|owned|',
  '&& owned',
  '>made',
  '<(owned)',
  "'",
  '"',
  '\\',
  '\\\n',
  '\n',
  '$' + '{x:=$(owned)}',
  '(owned)',
  '!owned',
  '#',
  ' ',
  'owned',
];

/** Words of a user that leave the shell in another state. */
const ownWords = ["don't", 'Use "this', 'a \\', 'either |', 'first &&', 'call it', '{', 'why?'];

describe.each(['sh', 'bash'])('feedback that %s reads, because the agent has just ended', (shell) => {
  it('runs nothing of a name or a line of a file, and writes no file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'feedback-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [programs, current] = [join(folder, 'programs'), join(folder, 'current')];
    mkdirSync(programs);
    mkdirSync(current);
    writeFileSync(join(programs, 'owned'), `#!/bin/sh\n: > ${join(current, 'owned')}\n`);
    chmodSync(join(programs, 'owned'), 0o755);
    const read = (text: string): readonly string[] => {
      try {
        execFileSync(`/bin/${shell}`, [], {
          cwd: current,
          env: { PATH: programs },
          input: `${text}\n`,
          stdio: ['pipe', 'ignore', 'ignore'],
        });
      } catch {
        // It finds no command of that name, or a line that is no command.
      }
      return readdirSync(current);
    };
    expect(read('$(owned)')).toEqual(['owned']);
    rmSync(join(current, 'owned'));

    const hostile = fc
      .array(fc.constantFrom(...hostileParts), { maxLength: 6 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(hostile, hostile, fc.constantFrom(...ownWords), (label, line, words) => {
        const review = makeReview('one\n', `${line}\ntwo\n`);
        review.addComment({ text: words, lines: { first: 0, last: 0 } });
        review.addComment({ text: 'Second.', lines: { first: 0, last: 1 } });
        const text = composeFeedback({ review, label, quotes: true }) ?? '';
        expect([text, read(text)]).toEqual([text, []]);
      }),
      { numRuns: 60 },
    );
  });
});
