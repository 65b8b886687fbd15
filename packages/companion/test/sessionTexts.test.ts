import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@tandem/core';
import { hasCode } from '@tandem/rpc';
import * as fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { CompanionClient } from '../../agents/test/support/companionClient.js';
import { writeUserFile } from '../src/files/userFile/writeUserFile.js';
import { Journal } from '../src/index.js';
import { type CompanionStage, makeMachine, makeWorkspace, useStages } from './support/companionStage.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const start = useStages();

const names = ['a.txt', 'b.txt'] as const;
const name = fc.constantFrom(...names);
/** A line of the file, at which something is inserted or which it replaces. */
const at = fc.nat({ max: 8 });
const replaces = fc.boolean();
const change = { name, at, replaces };

/** What happens in a session. A proposal may be edited by the user, and its file changed by another program. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('proposal' as const),
      ...change,
      edit: fc.option(fc.record({ at, replaces }), { nil: undefined }),
      meanwhile: fc.option(fc.record({ at }), { nil: undefined, freq: 1 }),
      end: fc.constantFrom('accepted', 'accepted', 'accepted', 'rejected', 'cancelled'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('program' as const), name, at }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('restoration' as const),
      of: fc.constantFrom('review', 'file', 'session', 'all'),
      name,
      which: fc.nat(),
      marksConflicts: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

/** A text with one more line, or with another one in place of one that nobody but an agent wrote. */
function changed(text: string, position: number, line: string, replacesOne: boolean): string {
  const lines = text.split('\n');
  const index = Math.min(position, lines.length - 1);
  const isReplaceable = replacesOne && /^(line|agent) /.test(lines[index] ?? '');
  return lines.toSpliced(index, isReplaceable ? 1 : 0, line).join('\n');
}

test('no text that the user or another program wrote is lost, whatever is accepted, restored and restarted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      const first = Array.from({ length: 6 }, (_, line) => `line ${line}\n`).join('');
      const folder = makeWorkspace({ [names[0]]: first, [names[1]]: first });
      const journal = mkdtempSync(join(tmpdir(), 'journal-'));
      folders.push(folder, journal);
      const machine = makeMachine();
      const path = (file: string): string => join(folder, file);
      const read = (file: string): string => readFileSync(path(file), 'utf8');
      const begin = async (): Promise<{ stage: CompanionStage; agent: CompanionClient }> => {
        const stage = await start({
          folders: [folder],
          machine,
          journal: Journal.open({ folder: journal, window: 'a', logger: silentLogger }),
          writeFile: writeUserFile,
        });
        return { stage, agent: await stage.connect('gemini') };
      };
      let { stage, agent } = await begin();
      /** The lines of other programs must stay in their files; those of the user, in a file or where they can be restored. */
      const ofPrograms: { readonly file: string; readonly line: string }[] = [];
      const ofUser: string[] = [];
      let number = 0;
      const program = (file: string, position: number): void => {
        const line = `program ${++number}.`;
        writeFileSync(path(file), changed(read(file), position, line, false));
        ofPrograms.push({ file, line });
      };
      const check = (): void => {
        const texts = names.map(read);
        const { history, interrupted } = stage.companion;
        const kept = [
          ...texts,
          ...history.entries.flatMap(({ content, original }) => [
            content,
            original.kind === 'text' ? original.text : '',
          ]),
          ...interrupted.all.map(({ content }) => content),
        ].join('\n');
        for (const { file, line } of ofPrograms) expect(read(file)).toContain(line);
        for (const line of ofUser) expect(kept).toContain(line);
      };
      for (const now of steps) {
        const { companion } = stage;
        const { client } = await stage.found();
        if (now.kind === 'restart') {
          await companion.stop();
          ({ stage, agent } = await begin());
        } else if (now.kind === 'program') {
          program(now.name, now.at);
        } else if (now.kind === 'restoration') {
          const entries = companion.history.entries.filter(({ decided }) => decided.how !== 'rejected');
          const one = entries[now.which % Math.max(entries.length, 1)];
          if (one === undefined) continue;
          const selection = {
            review: { ids: [one.decided.id] },
            file: { path: path(now.name) },
            session: { session: one.session },
            all: { all: true },
          }[now.of];
          const { marksConflicts } = now;
          await client.call('changes.restore', { ...selection, marksConflicts }).catch((error: unknown) => {
            // Such as a conflict that is not to be marked.
            if (!hasCode(error, 'refused') && !hasCode(error, 'not-found')) throw error;
          });
        } else {
          const file = path(now.name);
          const proposed = changed(read(now.name), now.at, `agent ${++number}.`, now.replaces);
          await agent.openDiff(file, proposed);
          const review = companion.reviews.pending.find(({ proposal }) => proposal.path === file);
          expect(review).toBeDefined();
          if (review === undefined) return;
          if (now.edit !== undefined) {
            const line = `user ${++number}.`;
            const text = changed(review.content, now.edit.at, line, now.edit.replaces);
            await client.call('review.edit', { id: review.id, content: text });
            ofUser.push(line);
          }
          if (now.meanwhile !== undefined) program(now.name, now.meanwhile.at);
          if (now.end === 'cancelled') {
            await agent.closeDiff(file);
          } else {
            const { id } = review;
            const accept = (): Promise<boolean> =>
              client.call('review.accept', { id }).then(
                () => true,
                (error: unknown) => {
                  // The file was merged into it, or conflicts with it: the user looks at it again.
                  if (hasCode(error, 'refused')) return false;
                  throw error;
                },
              );
            if (now.end === 'accepted' && ((await accept()) || (await accept()))) {
              const { params } = await agent.next('ide/diffAccepted');
              writeFileSync(file, params.content);
            } else {
              await client.call('review.reject', { id });
              await agent.next('ide/diffRejected');
            }
          }
        }
        check();
      }
      await stage.companion.stop();
      ({ stage, agent } = await begin());
      check();
      await stage.companion.stop();
    }),
    { numRuns: 15 },
  );
}, 60_000);
