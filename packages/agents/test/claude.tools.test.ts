import type { Diagnostic } from '@tandem/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agents, type RunningProtocol } from '../src/index.js';
import { ClaudeClient } from './support/claudeClient.js';
import { jsonOf, texts } from './support/rpc.js';
import { Stage } from './support/stage.js';

const a = '/workspace/a.ts';
const odd = '/workspace/sp ace/é#1%.py';
const start = { line: 0, character: 0 };

const problem: Diagnostic = {
  message: "Property 'foo' does not exist",
  severity: 'error',
  range: { start: { line: 10, character: 5 }, end: { line: 10, character: 8 } },
  source: 'ts',
  code: 2339,
};

describe('the tools of Claude Code', () => {
  let stage: Stage;
  let running: RunningProtocol;
  let client: ClaudeClient;

  beforeEach(async () => {
    stage = await Stage.create({
      files: {
        [a]: 'alpha beta\ngamma delta\n',
        [odd]: 'x\n',
        '/workspace/b.ts': 'b  \n',
        '/workspace/.env': 'K=1\n',
      },
    });
    running = await stage.start(agents.claude);
    client = await ClaudeClient.connect(running);
  });

  afterEach(() => stage.close());

  const text = async (name: string, args?: unknown) => texts(await client.call(name, args));
  const json = async (name: string, args?: unknown) => jsonOf(await client.call(name, args));

  it('offers all tools if the editor has all capabilities [CLA-24 CLA-58]', async () => {
    const { tools } = (await client.request('tools/list')).result;
    expect(tools.map((tool: { name: string }) => tool.name)).toEqual([
      'openDiff',
      'openFile',
      'open_files',
      'close_tab',
      'closeAllDiffTabs',
      'get_all_opened_file_paths',
      'reformat_file',
      'getDiagnostics',
      'getOpenEditors',
      'getCurrentSelection',
      'getLatestSelection',
      'getWorkspaceFolders',
      'checkDocumentDirty',
      'saveDocument',
    ]);
    for (const tool of tools) expect(tool).toMatchObject({ inputSchema: { type: 'object' } });
  });

  it('does not offer tools that the editor cannot support [CLA-88]', async () => {
    const modest = await Stage.create({ editor: { without: ['format', 'diagnostics'] } });
    try {
      const other = await ClaudeClient.connect(await modest.start(agents.claude));
      const names = (await other.request('tools/list')).result.tools.map(
        (tool: { name: string }) => tool.name,
      );
      expect(names).toHaveLength(12);
      expect(names).not.toContain('reformat_file');
      expect(names).not.toContain('getDiagnostics');
      expect((await other.call('getDiagnostics', {})).error).toMatchObject({ code: -32602 });
    } finally {
      await modest.close();
    }
  });

  it.each([
    ['openFile', { filePath: 1 }],
    ['openFile', {}],
    ['openFile', { filePath: a, makeFrontmost: 'yes' }],
    ['open_files', { file_paths: a }],
    ['open_files', { file_paths: [a, 2] }],
    ['close_tab', {}],
    ['reformat_file', { file_path: null }],
    ['getDiagnostics', { uri: 7 }],
    ['checkDocumentDirty', {}],
    ['saveDocument', { filePath: [] }],
  ])('answers wrong arguments of %s with an error result: %j [CLA-55]', async (name, args) => {
    const { result } = await client.call(name, args);
    expect(result.isError).toBe(true);
    expect(result.content).toEqual([
      { type: 'text', text: expect.stringContaining(`Invalid arguments for ${name}`) },
    ]);
  });

  it.each([
    ['openFile', { filePath: 'a.ts' }],
    ['open_files', { file_paths: [a, 'b.ts'] }],
    ['reformat_file', { file_path: './a.ts' }],
    ['checkDocumentDirty', { filePath: 'a.ts' }],
    ['saveDocument', { filePath: 'C:\\a.ts' }],
  ])('answers a relative path of %s with an error result: %j [CLA-57]', async (name, args) => {
    const answer = await client.call(name, args);
    expect(answer.result.isError).toBe(true);
    expect(texts(answer)).toEqual([expect.stringContaining('needs an absolute')]);
    expect(stage.editor.documents.state(a)).toBeUndefined();
  });

  it('opens a file, with and without the focus [CLA-41 CLA-42]', async () => {
    expect(await text('openFile', { filePath: a, makeFrontmost: false })).toEqual(['OK']);
    expect(stage.editor.documents.state(a)).toBeDefined();
    expect(stage.editor.context.snapshot().activePath).toBeUndefined();
    expect(await text('openFile', { filePath: odd, makeFrontmost: true })).toEqual(['OK']);
    expect(stage.editor.context.snapshot().activePath).toBe(odd);
    expect(await text('openFile', { filePath: a, preview: true })).toEqual(['OK']);
    expect(stage.editor.context.snapshot().activePath).toBe(a);
  });

  it.each([
    ['a missing file', '/workspace/none.ts', 'Project is closed or directory not found'],
    ['a folder', '/workspace', '/workspace is a folder.'],
  ])('says when openFile cannot open %s [CLA-42 CLA-55]', async (_case, filePath, words) => {
    const answer = await client.call('openFile', { filePath, makeFrontmost: true });
    expect(answer.result).toEqual({ content: [{ type: 'text', text: words }], isError: true });
  });

  it.each([
    [{ startText: 'beta' }, { start: { line: 0, character: 6 }, end: { line: 0, character: 10 } }],
    [
      { startText: 'beta', endText: 'gam' },
      { start: { line: 0, character: 6 }, end: { line: 1, character: 3 } },
    ],
    [
      { startText: 'beta', endText: 'gam', selectToEndOfLine: true },
      { start: { line: 0, character: 6 }, end: { line: 1, character: 11 } },
    ],
    [
      { startText: 'beta', endText: 'alpha' },
      { start: { line: 0, character: 6 }, end: { line: 0, character: 10 } },
    ],
    [{ startText: 'omega' }, { start, end: start }],
  ])('selects what openFile names: %j [CLA-58]', async (range, expected) => {
    expect(await text('openFile', { filePath: a, makeFrontmost: true, ...range })).toEqual(['OK']);
    expect(stage.editor.context.snapshot().openFiles[0]?.selection?.range).toEqual(expected);
  });

  it('opens several files and returns those that it opened [CLA-43]', async () => {
    const file_paths = [a, '/workspace/none.ts', '/workspace', odd];
    expect(await json('open_files', { file_paths })).toEqual({ opened_files: [a, odd] });
    const { openFiles } = stage.editor.context.snapshot();
    expect(openFiles.map(({ path }) => path).sort()).toEqual([a, odd].sort());
    expect(await json('open_files', { file_paths: [] })).toEqual({ opened_files: [] });
  });

  it('closes a tab by path, and reports if there is none [CLA-44 CLA-45]', async () => {
    stage.editor.user.focus(a);
    expect(await text('close_tab', { tab_name: a })).toEqual(['OK']);
    expect(stage.editor.documents.state(a)).toBeUndefined();
    const answer = await client.call('close_tab', { tab_name: a });
    expect(answer.result).toEqual({ content: [{ type: 'text', text: 'Tab not found' }] });
    expect(await text('close_tab', { tab_name: 'no such tab' })).toEqual(['Tab not found']);
    stage.editor.user.focus(a);
    stage.editor.user.type(a, 'unsaved');
    expect(await text('close_tab', { tab_name: a })).toEqual(['Tab not found']);
    expect(stage.editor.documents.text(a)).toBe('unsaved');
  });

  it('lists the currently open files, one per line [CLA-46]', async () => {
    expect(await text('get_all_opened_file_paths', {})).toEqual(['']);
    stage.editor.user.focus(odd);
    stage.editor.user.focus(a);
    expect(await text('get_all_opened_file_paths')).toEqual([`${a}\n${odd}`]);
  });

  it('lists all of many open files, except held-back files and files that are not on disk [CLA-46 CLA-58]', async () => {
    const open = Array.from({ length: 14 }, (_, at) => `/workspace/${at}.ts`);
    for (const path of open) {
      stage.files.write(path, '');
      stage.editor.user.focus(path);
      stage.clock.advance(1);
    }
    stage.editor.user.focus('/workspace/.env');
    stage.editor.user.focus('/workspace/unsaved', '');
    const expected = [...open].reverse();
    expect((await text('get_all_opened_file_paths')).join().split('\n')).toEqual(expected);
    const { tabs } = await json('getOpenEditors');
    expect(tabs.map(({ uri }: { uri: string }) => uri)).toEqual(expected.map((path) => `file://${path}`));
  });

  it('formats a file [CLA-47]', async () => {
    stage.editor.user.focus('/workspace/b.ts');
    const answer = await client.call('reformat_file', { file_path: '/workspace/b.ts' });
    expect(answer.result).toEqual({ content: [{ type: 'text', text: 'OK' }] });
    expect(stage.editor.documents.text('/workspace/b.ts')).toBe('b\n');
  });

  it.each([
    ['is missing', '/workspace/none.ts', 'File not found'],
    ['is a folder', '/workspace', 'File not found'],
    ['is not open', a, `${a} is not open in the editor.`],
  ])('says why a file that %s cannot be formatted [CLA-47 CLA-55]', async (_case, file_path, words) => {
    const answer = await client.call('reformat_file', { file_path });
    expect(answer.result).toEqual({ content: [{ type: 'text', text: words }], isError: true });
  });

  it('does not format an open file that was deleted, because saving would recreate it [CLA-47]', async () => {
    stage.editor.user.focus('/workspace/b.ts');
    stage.files.remove('/workspace/b.ts');
    expect(await text('reformat_file', { file_path: '/workspace/b.ts' })).toEqual(['File not found']);
    expect(stage.editor.documents.text('/workspace/b.ts')).toBe('b  \n');
  });

  it.each([a, odd])(
    'answers the diagnostics of one file under the URI that was asked with [CLA-48 CLA-49 CLA-51 CLA-89]',
    async (path) => {
      const raw = `file://${path}`;
      expect(await json('getDiagnostics', { uri: raw })).toEqual([{ uri: raw, diagnostics: [] }]);
      stage.editor.user.setDiagnostics(path, [problem]);
      const diagnostics = [{ ...problem, severity: 'ERROR' }];
      expect(await json('getDiagnostics', { uri: raw })).toEqual([{ uri: raw, diagnostics }]);
      const encoded = new URL(`file://${path.split('/').map(encodeURIComponent).join('/')}`).href;
      expect(await json('getDiagnostics', { uri: encoded })).toEqual([{ uri: encoded, diagnostics }]);
    },
  );

  it('prefers a file whose name contains a percent sign [CLA-89]', async () => {
    stage.files.write('/workspace/a%20b.ts', 'x');
    stage.files.write('/workspace/a b.ts', 'x');
    stage.editor.user.setDiagnostics('/workspace/a%20b.ts', [{ ...problem, message: 'percent' }]);
    stage.editor.user.setDiagnostics('/workspace/a b.ts', [{ ...problem, message: 'space' }]);
    const asked = async (uri: string) => (await json('getDiagnostics', { uri }))[0].diagnostics[0].message;
    expect(await asked('file:///workspace/a%20b.ts')).toBe('percent');
    stage.files.remove('/workspace/a%20b.ts');
    expect(await asked('file:///workspace/a%20b.ts')).toBe('space');
  });

  it('returns all files with raw URIs without an argument, and the current file for null [CLA-48 CLA-89 CLA-90]', async () => {
    stage.editor.user.setDiagnostics(odd, [problem]);
    stage.editor.user.setDiagnostics(a, [{ ...problem, message: 'another' }]);
    const uris = (await json('getDiagnostics')).map((file: { uri: string }) => file.uri);
    expect(uris).toEqual([`file://${odd}`, `file://${a}`]);
    expect(await json('getDiagnostics', { uri: null })).toEqual([]);
    stage.editor.user.focus(a);
    expect(await json('getDiagnostics', { uri: null })).toMatchObject([{ uri: `file://${a}` }]);
  });

  it.each([
    ['error', 'ERROR'],
    ['warning', 'WARNING'],
    ['hint', 'WEAK_WARNING'],
    ['info', 'INFO'],
  ] as const)('sends the severity %s as %s [CLA-50]', async (severity, sent) => {
    stage.editor.user.setDiagnostics(a, [{ message: 'm', severity, range: problem.range }]);
    const [file] = await json('getDiagnostics', { uri: `file://${a}` });
    expect(file.diagnostics).toEqual([{ message: 'm', severity: sent, range: problem.range }]);
  });

  it.each(['a.ts', '/workspace/a.ts', 'https://example.com/a.ts', 'file://', 'file://relative'])(
    'refuses %s, which is no file URI [CLA-49 CLA-55]',
    async (uri) => {
      const answer = await client.call('getDiagnostics', { uri });
      expect(answer.result.isError).toBe(true);
      expect(texts(answer)).toEqual([expect.stringContaining('file:// URI')]);
    },
  );

  it.each([
    ['one file', { uri: `file://${a}` }, 400, '500 ms'],
    ['all files', {}, 1800, '2 s'],
  ])(
    'answers for %s with %j after %i ms with an error: the CLI waits %s [CLA-90]',
    async (_case, args, ours, _theirs) => {
      const { diagnostics } = stage.editor;
      if (diagnostics === undefined) throw new Error('an editor with diagnostics was expected');
      diagnostics.get = () => new Promise(() => {});
      const call = client.beginCall('getDiagnostics', args);
      await stage.clock.whenSet(ours);
      stage.clock.advance(ours);
      const answer = await client.answer(call);
      expect(answer.result.isError).toBe(true);
      expect(texts(answer)).toEqual([expect.stringContaining('did not answer within')]);
    },
  );

  it('describes the open editors [CLA-58]', async () => {
    stage.editor.user.focus(odd);
    stage.editor.user.type(odd, 'unsaved');
    stage.editor.user.focus(a);
    expect(await json('getOpenEditors', {})).toEqual({
      tabs: [
        { uri: `file://${a}`, isActive: true, label: 'a.ts', languageId: 'typescript', isDirty: false },
        { uri: `file://${odd}`, isActive: false, label: 'é#1%.py', languageId: 'plaintext', isDirty: true },
      ],
    });
  });

  it('returns the current selection without waiting for the debounce [CLA-58]', async () => {
    expect(await json('getCurrentSelection')).toEqual({ success: false, message: 'No active editor found' });
    stage.editor.user.focus(a);
    const end = { line: 0, character: 5 };
    stage.editor.user.select(a, { start, end });
    expect(await json('getCurrentSelection')).toEqual({
      success: true,
      text: 'alpha',
      filePath: a,
      selection: { start, end, isEmpty: false },
    });
  });

  it('returns the latest selection even if another file has the focus since [CLA-58]', async () => {
    expect(await json('getLatestSelection')).toEqual({ success: false, message: 'No selection available' });
    stage.editor.user.focus(a);
    stage.editor.user.select(a, { start, end: { line: 0, character: 5 } });
    stage.settle();
    stage.editor.user.focus(odd);
    expect(await json('getLatestSelection')).toMatchObject({ success: true, text: 'alpha', filePath: a });
    stage.policy.pause();
    expect(await json('getLatestSelection')).toEqual({ success: false, message: 'No selection available' });
  });

  it('returns the workspace folders [CLA-58]', async () => {
    stage.editor.user.setFolders(['/projects/one', '/projects/t wo']);
    expect(await json('getWorkspaceFolders')).toEqual({
      success: true,
      folders: [
        { name: 'one', uri: 'file:///projects/one', path: '/projects/one' },
        { name: 't wo', uri: 'file:///projects/t wo', path: '/projects/t wo' },
      ],
      rootPath: '/projects/one',
    });
    stage.editor.user.setFolders([]);
    expect(await json('getWorkspaceFolders')).toEqual({ success: true, folders: [], rootPath: '' });
  });

  it('reports whether a document is dirty, and saves it [CLA-58]', async () => {
    const none = { success: false, message: `Document not open: ${a}` };
    expect(await json('checkDocumentDirty', { filePath: a })).toEqual(none);
    expect(await json('saveDocument', { filePath: a })).toEqual(none);
    stage.editor.user.focus(a);
    stage.editor.user.type(a, 'typed\n');
    const state = { success: true, filePath: a, isUntitled: false };
    expect(await json('checkDocumentDirty', { filePath: a })).toEqual({ ...state, isDirty: true });
    expect(await json('saveDocument', { filePath: a })).toMatchObject({ success: true, saved: true });
    expect(await stage.files.readText(a)).toBe('typed\n');
    expect(await json('checkDocumentDirty', { filePath: a })).toEqual({ ...state, isDirty: false });
  });

  it('reports that the editor cannot save [CLA-58]', async () => {
    stage.editor.user.focus(a);
    stage.files.write = () => {
      throw new Error('read-only');
    };
    expect(await json('saveDocument', { filePath: a })).toMatchObject({ success: false, saved: false });
  });

  it.each([
    ['openFile', { filePath: '/workspace/.env', makeFrontmost: true, startText: 'K' }],
    ['reformat_file', { file_path: '/workspace/.env' }],
    ['checkDocumentDirty', { filePath: '/workspace/.env' }],
    ['saveDocument', { filePath: '/workspace/.env' }],
  ])('%s says no more of a file that is hidden from agents than that [CLA-84]', async (name, args) => {
    stage.editor.user.focus('/workspace/.env');
    const answer = await client.call(name, args);
    const text = 'The editor does not share this file.';
    expect(answer.result).toEqual({ content: [{ type: 'text', text }], isError: true });
    stage.policy.pause();
    expect(texts(await client.call(name, args))).toEqual(['The user has paused sharing.']);
  });
});
