import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agents } from '../src/index.js';
import { ClaudeClient } from './support/claudeClient.js';
import { CompanionClient } from './support/companionClient.js';
import { companions } from './support/companions.js';
import { texts } from './support/rpc.js';
import { Stage } from './support/stage.js';

const a = '/workspace/a.ts';
const showLimitMs = 20_000;
const readLimitMs = 10_000;
const toolLimitMs = 20_000;

const never = (): Promise<never> => new Promise(() => {});

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.create({ files: { [a]: 'alpha beta\n' } });
  stage.editor.user.focus(a);
  const { documents, diagnostics } = stage.editor;
  Object.assign(documents, { open: never, save: never, close: never, format: never });
  Object.assign(diagnostics ?? {}, { get: never });
  stage.editor.beforeShow = never;
});
afterEach(() => stage.close());

/** Advances the clock beyond the limit, once its timer is set. */
async function pass(limitMs: number): Promise<void> {
  await stage.clock.whenSet(limitMs);
  stage.clock.advance(limitMs);
}

describe('Claude Code, when the editor never answers', () => {
  const path = { filePath: a };
  /** The tools that wait for the editor, with their limits. */
  const waiting = {
    openDiff: [
      { old_file_path: a, new_file_path: a, new_file_contents: 'x\n', tab_name: 'tab' },
      showLimitMs,
      'The editor could not show the change to /workspace/a.ts: not shown within 20 seconds',
    ],
    openFile: [path, toolLimitMs, undefined],
    open_files: [{ file_paths: [a] }, toolLimitMs, undefined],
    close_tab: [{ tab_name: a }, toolLimitMs, undefined],
    reformat_file: [{ file_path: a }, toolLimitMs, undefined],
    saveDocument: [path, toolLimitMs, undefined],
    getDiagnostics: [{ uri: `file://${a}` }, 400, 'The editor did not answer within 400 ms.'],
  } as const;
  /** The tools that answer without waiting for the editor. */
  const immediate = {
    closeAllDiffTabs: {},
    get_all_opened_file_paths: {},
    getOpenEditors: {},
    getCurrentSelection: {},
    getLatestSelection: {},
    getWorkspaceFolders: {},
    checkDocumentDirty: path,
  } as const;

  let client: ClaudeClient;
  beforeEach(async () => {
    client = await ClaudeClient.connect(await stage.start(agents.claude));
  });

  it('has only the tools that are tested here', async () => {
    const { tools } = (await client.request('tools/list')).result;
    const names = tools.map((tool: { name: string }) => tool.name);
    expect(names.sort()).toEqual([...Object.keys(waiting), ...Object.keys(immediate)].sort());
  });

  it.each(Object.entries(waiting))(
    '%s ends with an error that names what to do',
    async (name, [args, limitMs, words]) => {
      const call = client.beginCall(name, args);
      await pass(limitMs);
      const answer = await client.answer(call);
      expect(answer.result.isError).toBe(true);
      expect(texts(answer)).toEqual([
        words ??
          `${name}: The editor did not answer within 20 seconds. It may still do so later: ask the user to check the editor before you try again.`,
      ]);
      expect(stage.reviews.pending).toEqual([]);
    },
  );

  it.each(Object.entries(immediate))('%s answers nevertheless', async (name, args) => {
    expect((await client.call(name, args)).result.isError).toBeUndefined();
  });

  it('receives nothing more about a call that ended', async () => {
    let answer = (_saved: boolean): void => {};
    stage.editor.documents.save = () => new Promise((resolve) => (answer = resolve));
    const call = client.beginCall('saveDocument', path);
    await pass(toolLimitMs);
    await client.answer(call);
    const before = client.received;
    answer(true);
    await client.call('getWorkspaceFolders', {});
    expect(client.received.slice(before.length).trim().split('\n')).toHaveLength(1);
  });

  it('receives an error when the file of a change cannot be read', async () => {
    stage.files.read = never;
    const call = client.beginOpenDiff(a, 'x\n');
    await pass(readLimitMs);
    const answer = await client.answer(call);
    expect(texts(answer)).toEqual([
      'The change to /workspace/a.ts cannot be reviewed: The disk did not answer within 10 seconds.',
    ]);
  });
});

describe.each(companions)('$name, when the editor never answers', ({ protocol, manner }) => {
  let client: CompanionClient;
  beforeEach(async () => {
    client = await CompanionClient.connect(await stage.start(protocol), manner);
  });
  afterEach(() => client.end());

  it('has only the tools that are tested here', async () => {
    const { tools } = (await client.request('tools/list')).result;
    expect(tools.map((tool: { name: string }) => tool.name).sort()).toEqual(['closeDiff', 'openDiff']);
  });

  it('openDiff ends with an error, and no review is pending', async () => {
    const call = client.openDiff(a, 'x\n');
    await pass(showLimitMs);
    const answer = await call;
    expect(answer.result.isError).toBe(true);
    expect(texts(answer)).toEqual([
      'The editor could not show the change to /workspace/a.ts: not shown within 20 seconds',
    ]);
    expect(stage.reviews.pending).toEqual([]);
  });

  it('openDiff ends with an error when the file cannot be read', async () => {
    stage.files.read = never;
    const call = client.openDiff(a, 'x\n');
    await pass(readLimitMs);
    expect(texts(await call)).toEqual([
      'The change to /workspace/a.ts cannot be reviewed: The disk did not answer within 10 seconds.',
    ]);
  });

  it('closeDiff answers immediately, even before the view is shown', async () => {
    const call = client.openDiff(a, 'x\n');
    await stage.clock.whenSet(showLimitMs);
    expect(texts(await client.closeDiff(a))).toEqual([JSON.stringify({ content: 'x\n' })]);
    expect((await call).result.isError).toBeUndefined();
  });
});
