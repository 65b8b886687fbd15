import { RpcError } from '@tandem/rpc';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DocumentFolder, typeInto } from './support/documentFolder.js';

const content = fc.constantFrom(
  '',
  'one\n',
  'four\n',
  'five\n',
  'two\r\n',
  'one\ntwo\n',
  'three',
  '\uFEFFone\n',
);
const step = fc.oneof(
  fc.record({ what: fc.constant('type' as const), text: content }),
  fc.record({ what: fc.constant('write' as const), text: content }),
  fc.record({
    what: fc.constantFrom('save' as const, 'refresh' as const, 'wait' as const),
    text: fc.constant(''),
  }),
);

const shown = (text: string): string => text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');

test('loses neither typed text nor changes on disk, in any order', async () => {
  const folder = new DocumentFolder();
  await fc.assert(
    fc.asyncProperty(content, fc.array(step, { maxLength: 12 }), async (start, steps) => {
      const document = await folder.openWith(start);
      /** All texts that the document has shown: the user may overwrite them knowingly. */
      const seen = new Set([document.text.content]);
      /** All texts that were on disk: they may disappear from the document. */
      const written = new Set([shown(start)]);
      const lost: string[] = [];
      let last = document.text.content;
      let others = start;
      const actions: Promise<void>[] = [];
      document.text.onDidChange(({ updates }) => {
        if (updates.some(({ clientId }) => clientId === 'host') && !written.has(last)) lost.push(last);
        last = document.text.content;
        seen.add(last);
      });
      const save = async (): Promise<void> => {
        const { content: saved, version } = document.text;
        try {
          await document.save(version);
          written.add(saved);
        } catch (error) {
          // A failure is valid if the user can see it.
          expect(error).toBeInstanceOf(RpcError);
        }
      };
      for (const { what, text } of steps) {
        if (what === 'type') typeInto(document.text, shown(text));
        else if (what === 'wait') await Promise.all(actions.splice(0));
        else if (what === 'write') {
          await Promise.all(actions.splice(0));
          folder.write('a.txt', text);
          others = text;
          written.add(shown(text));
        } else if (what === 'refresh') actions.push(document.refresh());
        else actions.push(save());
      }
      await Promise.all(actions);
      expect(lost).toEqual([]);
      const disk = folder.read('a.txt');
      if (disk !== others) expect(seen.has(shown(others)), `"${others}" was overwritten unseen`).toBe(true);
      await document.refresh();
      // A clean text is on disk; unsaved typing is still in the text.
      if (!document.isDirty) expect(shown(folder.read('a.txt'))).toBe(document.text.content);
      expect(document.hasConflict && !document.isDirty).toBe(false);
      document.dispose();
    }),
    { numRuns: 150 },
  );
  folder.dispose();
});
