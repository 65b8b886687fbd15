import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { connectClaude } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const site = useSite();

describe("Claude's tools", () => {
  it('open files, with a range and without the focus, and close them', async () => {
    const desk = await site.current.share({ 'a.txt': 'first\nsecond line\nthird\n', 'b.txt': 'b\n' });
    const claude = await connectClaude(desk.companion);
    const [a, b] = [desk.path('a.txt'), desk.path('b.txt')];
    const range = { startText: 'second', endText: 'line' };
    expect(await claude.call('openFile', { filePath: a, ...range })).toEqual(['OK']);
    await claude.notification('selection_changed', (message) => message.params.text === 'second line');
    expect(await claude.json('open_files', { file_paths: [b] })).toEqual({ opened_files: [b] });
    await desk.window.tab('b.txt').waitFor();
    expect(await desk.window.activeTab.textContent()).toContain('a.txt');
    const { tabs } = await claude.json('getOpenEditors');
    expect(tabs.map(({ label }: { label: string }) => label).sort()).toEqual(['a.txt', 'b.txt']);
    expect(await claude.call('close_tab', { tab_name: b })).toEqual(['OK']);
    await desk.window.tab('b.txt').waitFor({ state: 'detached' });
  });

  it('know unsaved changes and save them', exhaustive, async () => {
    const desk = await site.current.share({ 'a.txt': 'one\n' });
    const claude = await connectClaude(desk.companion);
    const filePath = desk.path('a.txt');
    await desk.openFile('a.txt');
    await desk.window.page.keyboard.type('typed ');
    await desk.window.dirtyTab.waitFor();
    // The page shows it before the extension host receives it.
    await expect
      .poll(() => claude.json('checkDocumentDirty', { filePath }))
      .toMatchObject({ success: true, isDirty: true });
    expect(await claude.json('saveDocument', { filePath })).toMatchObject({ success: true });
    expect(await desk.read('a.txt')).toBe('typed one\n');
    await desk.window.dirtyTab.waitFor({ state: 'detached' });
    expect(await claude.json('checkDocumentDirty', { filePath })).toMatchObject({ isDirty: false });
  });

  it("reformat with the editor's own formatter", exhaustive, async () => {
    const desk = await site.current.share({ 'a.json': '{"a":1,"b":[1,2]}' });
    const claude = await connectClaude(desk.companion);
    await desk.openFile('a.json');
    // The formatter belongs to a language server, which starts with the first file of its language.
    const reformat = () => claude.call('reformat_file', { file_path: desk.path('a.json') });
    await expect.poll(reformat).toEqual(['OK']);
    expect(await desk.read('a.json')).toMatch(/^\{\n +"a": 1,\n/);
  });

  it("return the language server's diagnostics by raw URIs in time, and report changes", async () => {
    const name = 'sp ace é#1.ts';
    const desk = await site.current.share({ [name]: "export const count: number = 'one';\n" });
    const claude = await connectClaude(desk.companion);
    const uri = `file://${desk.path(name)}`;
    await desk.openFile(name);
    await claude.notification('diagnostics_changed', (message) =>
      JSON.stringify(message.params).includes(name),
    );
    const startedAt = performance.now();
    const [file] = await claude.json('getDiagnostics', { uri });
    expect(performance.now() - startedAt).toBeLessThan(500);
    expect(file.uri).toBe(uri);
    expect(file.diagnostics).toMatchObject([
      {
        message: "Type 'string' is not assignable to type 'number'.",
        severity: expect.stringMatching(/^error$/i),
        source: 'ts',
        range: { start: { line: 0, character: 13 }, end: { line: 0, character: 18 } },
      },
    ]);
  });
});
