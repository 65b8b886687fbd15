import { describe, expect, it } from 'vitest';
import { hooks as claude } from '../src/claude/hooks.js';
import type { AgentHooks } from '../src/hooks/agentHooks.js';
import { agents } from '../src/index.js';
import { hooks as qwen } from '../src/qwen/hooks.js';
import { HookedStage } from './support/hookedStage.js';

const path = '/w/a.ipynb';
const code = {
  cell_type: 'code',
  execution_count: 2,
  id: 'aaaa',
  metadata: {},
  outputs: [{}],
  source: ['a\n'],
};
const markdown = { cell_type: 'markdown', id: 'bbbb', metadata: {}, source: '# T' };
const notebook = (cells: readonly object[], minor = 5) => ({
  metadata: {},
  cells,
  nbformat: 4,
  nbformat_minor: minor,
});
const text = (whole: object, indent = 1) => `${JSON.stringify(whole, undefined, indent)}\n`;
const call = (tool_name: string, input: object) => ({
  session_id: 'abc',
  cwd: '/w',
  hook_event_name: 'PreToolUse',
  permission_mode: 'default',
  tool_name,
  tool_input: { notebook_path: path, ...input },
});

/** What the tool would leave of the file. */
function result(hooks: AgentHooks, tool: string, input: object, before: string | undefined) {
  const event = hooks.read(call(tool, input), 'linux');
  if (event?.kind !== 'edit') throw new Error('no edit');
  const [edit] = event.edits;
  return { text: edit?.apply(before), agentChooses: edit?.agentChooses };
}

describe('NotebookEdit of Claude Code', () => {
  const of = (input: object, before = text(notebook([code, markdown]), 4)) =>
    result(claude, 'NotebookEdit', input, before);
  const empty = { execution_count: null, outputs: [] };

  it.each([
    ['replaces', { cell_id: 'aaaa', new_source: 'b\n' }, [{ ...code, ...empty, source: 'b\n' }, markdown]],
    ['finds by place', { cell_id: 'cell-1', new_source: 'b' }, [code, { ...markdown, source: 'b' }]],
    [
      'changes the type',
      { cell_id: 'bbbb', new_source: 'b', cell_type: 'code' },
      [code, { ...markdown, cell_type: 'code', source: 'b', ...empty }],
    ],
    ['deletes', { cell_id: 'aaaa', new_source: '', edit_mode: 'delete' }, [markdown]],
  ])('%s a cell, and rewrites the whole notebook', (_what, input, cells) => {
    expect(of(input).text).toBe(text(notebook(cells)));
  });

  it('chooses the id of a new cell, so that ours only stands for it [HOK-14]', () => {
    const { text: after, agentChooses } = of({ new_source: 'b', cell_type: 'markdown', edit_mode: 'insert' });
    expect(agentChooses).toMatch(/^[0-9a-f]{8}$/);
    const added = { cell_type: 'markdown', id: agentChooses, source: 'b', metadata: {} };
    expect(after).toBe(text(notebook([added, code, markdown])));
  });

  it('gives no id to a new cell of an older notebook', () => {
    const insertion = { cell_id: 'aaaa', new_source: 'b', cell_type: 'code', edit_mode: 'insert' };
    const { text: after } = of(insertion, text(notebook([code], 4)));
    expect(after).toBe(text(notebook([code, { cell_type: 'code', source: 'b', metadata: {}, ...empty }], 4)));
  });

  it('keeps a byte order mark, and a last line without an end', () => {
    const before = `\uFEFF${JSON.stringify(notebook([code])).replaceAll('\n', '\r\n')}`;
    expect(of({ cell_id: 'aaaa', new_source: '', edit_mode: 'delete' }, before).text).toBe(
      `\uFEFF${text(notebook([])).trimEnd()}`,
    );
  });

  it.each([
    ['an unknown cell', { cell_id: 'cccc', new_source: '' }, undefined],
    ['no cell', { new_source: '' }, undefined],
    ['a new cell without a type', { new_source: '', edit_mode: 'insert' }, undefined],
    ['what is no notebook', { cell_id: 'aaaa', new_source: '' }, '{"cells":[{}]}'],
    ['what is no JSON', { cell_id: 'aaaa', new_source: '' }, '{'],
    [
      'a type that would lose attachments',
      { cell_id: 'bbbb', new_source: '', cell_type: 'code' },
      text(notebook([{ ...markdown, attachments: { a: {} } }])),
    ],
  ])('refuses %s', (_what, input, before) => {
    expect(of(input, before).text).toBeUndefined();
  });
});

describe('notebook_edit of Qwen Code', () => {
  const of = (input: object, before = text(notebook([code, markdown]), 2)) =>
    result(qwen, 'notebook_edit', input, before).text;

  it.each([
    [
      'replaces a cell, in its form',
      { cell_id: 'aaaa', new_source: 'b\nc' },
      [{ ...code, execution_count: null, outputs: [], source: ['b\n', 'c'] }, markdown],
    ],
    ['keeps a text as one', { cell_id: 'bbbb', new_source: 'b\nc' }, [code, { ...markdown, source: 'b\nc' }]],
    ['deletes a cell', { cell_id: 'aaaa', edit_mode: 'delete' }, [markdown]],
    [
      'names a new cell itself, always in the same way',
      { cell_id: 'aaaa', new_source: 'b', edit_mode: 'insert' },
      [
        code,
        {
          cell_type: 'code',
          metadata: {},
          source: ['b'],
          id: 'qwen-cell-1',
          execution_count: null,
          outputs: [],
        },
        markdown,
      ],
    ],
  ])('%s, and keeps the indentation', (_what, input, cells) => {
    expect(of(input)).toBe(text(notebook(cells), 2));
  });

  it.each([
    ['an unknown cell', { cell_id: 'cell-1', new_source: '' }, undefined],
    ['a cell that is there twice', { cell_id: 'aaaa', new_source: '' }, text(notebook([code, code]))],
  ])('refuses %s', (_what, input, before) => {
    expect(of(input, before)).toBeUndefined();
  });
});

describe('the review of a notebook', () => {
  it('is by the hook also where Claude Code asks and is connected: its question has no diff', () => {
    const event = claude.read(call('NotebookEdit', { cell_id: 'aaaa', new_source: 'b' }), 'linux');
    if (event?.kind !== 'edit') throw new Error('no edit');
    expect(claude.review(event, { isConnected: true, isInteractive: true })).toBe('by-hook');
  });

  it.each([
    [
      'rewrites the call if the user corrected the source of its cell',
      '"b"',
      { permissionDecision: 'allow', updatedInput: { notebook_path: path, new_source: 'mine' } },
    ],
    [
      'lets the model write the text if the user corrected something else',
      '"bbbb"',
      { permissionDecision: 'deny', permissionDecisionReason: expect.stringContaining('Write exactly this') },
    ],
  ])('%s', async (_what, part, output) => {
    const stage = await HookedStage.open(agents.claude, { [path]: text(notebook([code, markdown])) });
    const printed = stage.hook(call('NotebookEdit', { cell_id: 'aaaa', new_source: 'b' }));
    const review = await stage.editor.whenShown();
    review.edit(review.content.replace(part, '"mine"'));
    review.accept();
    expect(await printed).toMatchObject({ hookSpecificOutput: output });
  });
});
