import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { useAgentGroup } from '../src/agentGroup.js';
import { claude } from '../src/agents/claude.js';
import { qwen } from '../src/agents/qwen.js';
import { call } from '../src/model/turn.js';
import { installOnPath, throughTandem } from '../src/throughTandem.js';

const notebook = JSON.stringify(
  {
    cells: [
      {
        cell_type: 'code',
        execution_count: 2,
        id: 'aaaa',
        metadata: {},
        outputs: [],
        source: ['a = 1\n', 'a'],
      },
      { cell_type: 'markdown', id: 'bbbb', metadata: {}, source: '# Título' },
    ],
    metadata: { language_info: { name: 'python' } },
    nbformat: 4,
    nbformat_minor: 5,
  },
  undefined,
  2,
);
const changes = [
  ['replaces a cell', { cell_id: 'aaaa', new_source: 'b = "é"\n\tb' }],
  ['changes the type of a cell', { cell_id: 'bbbb', new_source: 'x', cell_type: 'code' }],
  ['deletes a cell', { cell_id: 'aaaa', new_source: '', edit_mode: 'delete' }],
  ['adds a cell', { cell_id: 'aaaa', new_source: 'c', cell_type: 'code', edit_mode: 'insert' }],
  ['adds the first cell', { new_source: '# c', cell_type: 'markdown', edit_mode: 'insert' }],
] as const;
const forms = [
  ['', `${notebook}\n`],
  [' with CRLF and a byte order mark', `\uFEFF${notebook.replaceAll('\n', '\r\n')}`],
] as const;

describe.each([
  ['Claude Code that accepts edits', claude, ['--permission-mode', 'acceptEdits'], 'Read', 'NotebookEdit'],
  ['Claude Code that asks', claude, ['--permission-mode', 'default'], 'Read', 'NotebookEdit'],
  ['Qwen Code that accepts everything', qwen, ['--approval-mode', 'yolo'], 'read_file', 'notebook_edit'],
] as const)('a cell of a notebook, with %s', exhaustive, (_name, agent, flags, read, tool) => {
  const group = useAgentGroup(agent, {
    before: ({ sandbox }) => installOnPath(agent, sandbox),
    start: () => throughTandem(agent, flags),
  });

  async function proposed(text: string, input: object) {
    const { stage, running } = group.current;
    const path = await stage.put('a.ipynb', text);
    await running.propose([call(read, { file_path: path }), call(tool, { notebook_path: path, ...input })]);
    const review = await stage.tandem.nextReview({ agent: agent.kind, path });
    const { stdout } = await stage.tandem.run('review', 'show', review, '--content');
    return { stage, running, review, content: stdout };
  }

  it.each(
    forms.flatMap(([form, text]) => changes.map(([what, input]) => [`${what}${form}`, text, input] as const)),
  )('%s as the review shows it [HOK-14]', async (_what, text, input) => {
    const { stage, running, review, content } = await proposed(text, input);
    expect(await stage.read('a.ipynb')).toBe(text);
    await stage.tandem.accept(review);
    await running.waitUntilDone();
    const isChosen = agent === claude && 'edit_mode' in input && input.edit_mode === 'insert';
    const shown = text.includes('\r') ? content.replaceAll('\n', '\r\n') : content;
    const written = await stage.read('a.ipynb');
    expect(isChosen ? withoutIds(written) : written).toBe(isChosen ? withoutIds(shown) : shown);
    expect((await stage.tandem.run('review', 'list')).stdout).toContain('No pending reviews');
  });
});

/** Claude Code chooses the id of a new cell. */
function withoutIds(text: string): string {
  return text.replaceAll(/"id": "[0-9a-f]{8}"/g, '"id": "?"');
}
