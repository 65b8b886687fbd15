import { describe, expect, it } from 'vitest';
import { judgeRequest, type RequestedTool } from '../src/model/judgeRequest.js';

const question = {
  question: 'Which colour?',
  header: 'Colour',
  options: [{ label: 'Red' }, { label: 'Blue' }],
};
const asked = { questions: [question] };

/** The question tool as `qwen serve` 0.24.4 sends it. */
function questionTool(changes: Partial<RequestedTool> = {}): RequestedTool {
  return {
    kind: 'think',
    content: [],
    locations: [],
    rawInput: asked,
    _meta: { toolName: 'ask_user_question', qwenInteractionKind: 'user_question' },
    ...changes,
  };
}

describe('a question', () => {
  it.each([
    ['as the daemon sends it', questionTool()],
    [
      'with the metadata that the tool has',
      questionTool({ rawInput: { ...asked, metadata: { source: 'x' } } }),
    ],
    ['as the specification has it', { kind: 'ask_user_question', rawInput: asked }],
    [
      'without content and locations',
      { kind: 'think', rawInput: asked, _meta: { toolName: 'ask_user_question' } },
    ],
  ])('accepts the question tool if it only asks: %s [DMN-3]', (_name, tool) => {
    expect(judgeRequest(tool)).toMatchObject({
      kind: 'questions',
      questions: [{ ...question, multiSelect: false }],
    });
  });

  it.each([
    [
      'a shell command',
      { kind: 'execute', rawInput: { command: 'touch owned', ...asked }, name: 'run_shell_command' },
    ],
    [
      'a shell command, no questions',
      { kind: 'execute', rawInput: { command: 'x', questions: [] }, name: 'run_shell_command' },
    ],
    ['a file', { kind: 'edit', rawInput: { file_path: '/a', content: 'x', ...asked }, name: 'write_file' }],
    ['a tool of an MCP server', { kind: 'other', rawInput: asked, name: 'mcp__evil__ask_user_question' }],
    ['a tool that thinks', { kind: 'think', rawInput: asked, name: 'todo_write' }],
    [
      'a tool that calls itself a question by its kind',
      { kind: 'ask_user_question', rawInput: asked, name: 'run_shell_command' },
    ],
  ])(
    'treats any other tool as a permission, whatever its arguments: %s [DMN-3]',
    (_name, { name, ...tool }) => {
      const _meta = { toolName: name, qwenInteractionKind: 'user_question', qwenQuestions: asked.questions };
      expect(judgeRequest({ ...tool, _meta })).toEqual({ kind: 'permission' });
    },
  );

  it.each([
    ['the shell', { kind: 'execute', rawInput: { command: 'touch owned', ...asked } }],
    ['a thinking tool without a name', { kind: 'think', rawInput: asked }],
    [
      'a name that is no text',
      { kind: 'think', rawInput: asked, _meta: { toolName: ['ask_user_question'] } },
    ],
    ['nothing at all', {}],
  ])('requires the daemon to name the question tool: %s [DMN-3]', (_name, tool) => {
    expect(judgeRequest(tool)).toEqual({ kind: 'permission' });
  });

  it.each([
    ['no list', { rawInput: {} }],
    ['an empty list', { rawInput: { questions: [] } }],
    ['a list of another shape', { rawInput: { questions: { 0: question } } }],
    ['no arguments', { rawInput: undefined }],
    ['arguments that are a list', { rawInput: [question] }],
    ['a command beside it', { rawInput: { ...asked, command: 'touch owned' } }],
    ['a path beside it', { rawInput: { ...asked, file_path: '/a', content: 'x' } }],
    ['an argument of no known tool', { rawInput: { ...asked, later: true } }],
    ['a change', { content: [{ type: 'diff', path: '/a', newText: 'x' }] }],
    ['content of an unknown shape', { content: { type: 'diff' } }],
    ['a location', { locations: [{ path: '/a' }] }],
    ['the kind of a shell command', { kind: 'execute' }],
    ['the kind of a change', { kind: 'edit' }],
    ['a question without words', { rawInput: { questions: [{ ...question, question: '  ' }] } }],
    ['a question that is no object', { rawInput: { questions: ['Which?'] } }],
    ['an option without a label', { rawInput: { questions: [{ ...question, options: [{}] }] } }],
    ['one of two questions unreadable', { rawInput: { questions: [question, 7] } }],
  ])('refuses a question with %s', (_name, changes) => {
    expect(judgeRequest(questionTool(changes))).toEqual({ kind: 'refused', reason: expect.any(String) });
  });
});
