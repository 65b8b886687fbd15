import { untilActive, writeAndName } from './contextChecks.js';
import { check, checkWithUser } from './contractCheck.js';
import { eventually, expect, expectDocumentError, expectEqual, isAbsolutePath } from './expect.js';

/** Agents wait at most this long for the diagnostics of one file, and of all files. */
const oneFileLimitMs = 500;
const allFilesLimitMs = 2000;

/** Capabilities that an editor has or does not have: absent, or working. */
export const optionalChecks = [
  check('formats an open document, if it formats at all', async (host) => {
    const { documents } = host.editor;
    if (documents.format === undefined) return;
    const path = await writeAndName(host, 'a.json', '{"a":1}\n');
    await expectDocumentError(async () => documents.format?.(path), 'not-open', path);
    await documents.open(path, { takeFocus: true });
    await untilActive(host, path);
    await documents.format(path);
    expect(documents.state(path) !== undefined, 'the document to be open after it was formatted');
  }),

  check('returns diagnostics in time, if it has any', async (host) => {
    const { diagnostics } = host.editor;
    if (diagnostics === undefined) return;
    const path = await writeAndName(host, 'a.txt', 'a\n');
    const withTimeout = async (limitMs: number, which: string, file?: string) => {
      const startedAt = host.clock.now();
      const answer = await diagnostics.get(file);
      const took = host.clock.now() - startedAt;
      expect(took < limitMs, `the answer for ${which} within ${limitMs} ms, but it took ${took}`);
      return answer;
    };
    const all = await withTimeout(allFilesLimitMs, 'all files');
    const one = await withTimeout(oneFileLimitMs, 'one file', path);
    for (const file of [...all, ...one])
      expect(isAbsolutePath(file.path), `an absolute path: "${file.path}"`);
    expect(
      one.every((file) => file.path === path),
      'diagnostics of the file that was asked for alone',
    );
  }),

  checkWithUser(
    'reports changed diagnostics and returns those of a file',
    ['focus', 'setDiagnostics'],
    async (host, user) => {
      const { diagnostics } = host.editor;
      expect(diagnostics !== undefined, 'an editor whose diagnostics can be set to have diagnostics');
      // Plain text, to which no compiler or linter of the editor adds its own diagnostics.
      const path = await writeAndName(host, 'a.txt', 'one\n');
      const other = await writeAndName(host, 'b.txt', 'two\n');
      await user.focus(path);
      const changed = new Set<string>();
      const listener = diagnostics.onDidChange((paths) => {
        for (const each of paths) changed.add(each);
      });
      const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
      const found = { message: 'Not a number.', severity: 'error', range, source: 'ts', code: 2322 } as const;
      await user.setDiagnostics(path, [found]);
      await eventually(host, () => changed.has(path), 'an event for the change');
      expectEqual(
        sorted(await diagnostics.get(path)),
        sorted([{ path, diagnostics: [found] }]),
        'its diagnostics',
      );
      const all = await diagnostics.get();
      expect(
        all.some((file) => file.path === path),
        'the file among all diagnostics',
      );
      expect(
        (await diagnostics.get(other)).every((file) => file.diagnostics.length === 0),
        'none for another file',
      );
      await user.setDiagnostics(path, []);
      await eventually(
        host,
        async () => (await diagnostics.get(path)).every((file) => file.diagnostics.length === 0),
        'the diagnostics to be gone',
      );
      listener.dispose();
    },
  ),
];

/** The same values whatever the order of their members. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]): [string, unknown] => [key, sorted(each)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
