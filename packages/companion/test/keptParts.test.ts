import { readFileSync, writeFileSync } from 'node:fs';
import { textOf, undoHunks } from '@tandem/reviews';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { useChanges } from './support/changesStage.js';

const startFirst = useChanges();

/** A write of the agent or of the user: at a line, something is inserted, replaced or removed. */
const write = fc.record({
  by: fc.constantFrom('agent', 'agent', 'user'),
  at: fc.nat({ max: 14 }),
  how: fc.constantFrom('insert', 'replace', 'remove'),
});
const schedule = fc.record({
  end: fc.constantFrom('\n', '\r\n'),
  hasFinalEnd: fc.boolean(),
  hasBom: fc.boolean(),
  writes: fc.array(write, { minLength: 2, maxLength: 6 }),
  chosen: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  later: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
});

function written(text: string, { at, how }: { at: number; how: string }, line: string, end: string): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const lines = text.slice(mark.length).split(end);
  const added = how === 'remove' ? [] : [line];
  return mark + lines.toSpliced(at % lines.length, how === 'insert' ? 0 : 1, ...added).join(end);
}

test('undoing the kept part of a file, the rest, or both gives the exact bytes, also with writes before, between and after', async () => {
  const { stage, path } = await startFirst();
  const { history, changes, work } = stage.companion;
  let [count, splits] = [0, 0];
  await fc.assert(
    fc.asyncProperty(schedule, async ({ end, hasFinalEnd, hasBom, writes, chosen, later }) => {
      count += 1;
      const [session, at] = [`s${count}`, path(`f${count}.txt`)];
      const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
      let now = `${hasBom ? '\uFEFF' : ''}${lines.join(end)}${hasFinalEnd ? end : ''}`;
      work.turnBegan({ agent: 'claude', session }, { prompt: undefined, isContinued: false });
      for (const [index, step] of writes.entries()) {
        const before = now;
        now = written(now, step, `${step.by} ${index}`, end);
        if (step.by === 'user' || before === now) continue;
        history.addWritten({
          ...{ agent: 'claude', session, path: at, isOutsideWorkspace: false, title: 'Edit' },
          ...{ before: { kind: 'text', text: before }, after: { kind: 'text', text: now } },
        });
      }
      writeFileSync(at, now);
      const group = `turn 1 ${session}`;
      const ofGroup = { path: at, group, waits: true };
      const hunks = (await changes.hunks(at)).map(({ index }) => index);
      const keep = hunks.filter((index) => chosen[index]);
      if (keep.length === 0 || keep.length === hunks.length) return;
      const { before } = await changes.file(at, ofGroup);
      const of = { kind: 'text', text: now } as const;
      if (before.kind === 'binary') throw new Error('It is text.');
      const result = await changes.keep({ ...ofGroup, hunks: keep }).catch((error: Error) => error.message);
      if (typeof result === 'string') {
        expect(result).toContain('Keep the whole file');
        return;
      }
      splits += 1;
      const without = (isChosen: (index: number) => boolean): string =>
        textOf(undoHunks(before, of, ({ index }) => isChosen(index))?.content ?? of);
      // A final line end that is only in one of both texts belongs to no line: it goes with what is kept.
      const hasSameEnd = before.kind === 'text' && before.text.endsWith(end) === now.endsWith(end);
      const exact = (text: string, isExact = hasSameEnd): string =>
        isExact || !text.endsWith(end) ? text : text.slice(0, -end.length);
      const withoutKept = without((index) => keep.includes(index));
      const withoutRest = without((index) => !keep.includes(index));
      expect(textOf((await changes.file(at, ofGroup)).before)).toBe(withoutRest);
      const { before: others } = await changes.file(at, { waits: false });
      expect(exact(textOf(others))).toBe(exact(withoutKept));
      // Restarting reads them in the same order.
      history.add([]);
      const [kept, rest] = history.entries.filter(({ path: of }) => of === at);
      const ids = (of: readonly (typeof kept)[]) => of.map((entry) => entry?.decided.id ?? '');
      const cases = [
        { ids: ids([kept]), text: withoutKept, isExact: hasSameEnd },
        { ids: ids([rest]), text: withoutRest, isExact: true },
        { ids: ids([kept, rest]), text: textOf(before), isExact: true },
      ];
      for (const undo of cases) {
        const [undone] = await changes.restore({ ids: undo.ids });
        expect(exact(readFileSync(at, 'utf8'), undo.isExact)).toBe(exact(undo.text, undo.isExact));
        await changes.restore({ ids: [undone?.restoration ?? ''] });
        expect(readFileSync(at, 'utf8')).toBe(now);
      }
      if (later === undefined) return;
      // The user writes on: that line stays, and so does everything else.
      const own = written(now, { at: later, how: 'insert' }, 'own line', end);
      for (const undo of cases) {
        writeFileSync(at, own);
        const [undone] = await changes.restore({ ids: undo.ids, isPartial: true });
        const found = readFileSync(at, 'utf8');
        if (undone?.kind === 'conflict') expect(found).toBe(own);
        else {
          const rest = found.replace(`own line${end}`, '');
          expect(exact(rest, undo.isExact)).toBe(exact(undo.text, undo.isExact));
          expect(found).toContain('own line');
        }
      }
    }),
    { numRuns: 150 },
  );
  // Otherwise the test shows nothing.
  expect(splits).toBeGreaterThan(30);
});
