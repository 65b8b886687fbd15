import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Scratch } from './support/tandemProcess.js';

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch.dispose());

const leftovers = () => readdirSync(scratch.tmpdir).filter((name) => name.startsWith('tandem-'));

describe('tandem demo', () => {
  test('lets the user toggle hunks, accept and reject, and leaves nothing behind', async () => {
    const demo = scratch.start(['demo'], { input: 'what?\n2\nA\nreject\n' });
    const { code, stdout, stderr } = await demo.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('@@ hunk 2 of 2, dropped');
    expect(stdout).toContain(
      'Accepted. The agent wrote greeting.js:\n  export function greet(name) {\n    return `Hello, ',
    );
    expect(stdout).toContain("  console.log(greet('world'));\n");
    expect(stdout).toContain('Rejected. The agent wrote nothing.');
    expect(stdout).toContain('Done. Next,');
    expect([leftovers(), scratch.discoveryFiles()]).toEqual([[], []]);
  });

  test('ends with a message without any input, and leaves nothing behind', async () => {
    const { code, stdout } = await scratch.start(['demo'], { input: '' }).ended;
    expect(code).toBe(1);
    expect(stdout).toContain('The demo needs a terminal to type in. Run tandem demo in one.');
    expect([leftovers(), scratch.discoveryFiles()]).toEqual([[], []]);
  });

  test('can be decided from another terminal', async () => {
    const demo = scratch.start(['demo']);
    for (const id of ['1', '2']) {
      await demo.said(`tandem review accept ${id} --companion ${demo.pid}`);
      const accepted = await scratch.command(['review', 'accept', id, '--companion', String(demo.pid)]);
      expect(accepted.code).toBe(0);
    }
    const { code, stdout } = await demo.ended;
    expect(code).toBe(0);
    expect(stdout.match(/Accepted\. The agent wrote/g)).toHaveLength(2);
  });

  for (const [what, end] of [
    ['Ctrl+C', (demo: ReturnType<Scratch['start']>) => demo.signal('SIGINT')],
    [
      'tandem stop',
      (demo: ReturnType<Scratch['start']>) =>
        scratch.run(['stop', '--companion', String(demo.pid)]).then(() => demo.ended),
    ],
  ] as const) {
    test(`leaves nothing behind after ${what}`, async () => {
      const demo = scratch.start(['demo']);
      await demo.said('Or from another terminal:');
      // The scratch folder, and the journal.
      expect(leftovers()).toHaveLength(2);
      const { code } = await end(demo);
      expect(code).toBe(what === 'Ctrl+C' ? 130 : 0);
      expect([leftovers(), scratch.discoveryFiles()]).toEqual([[], []]);
    });
  }
});
