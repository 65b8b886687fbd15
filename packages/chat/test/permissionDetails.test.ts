import { describe, expect, it } from 'vitest';
import { type ChatPermission, emptyChat, isWholeChange, permissionDetails } from '../src/model/index.js';
import { reduceChat } from '../src/model/reduceChat.js';

const diff = { type: 'diff', path: '/w/src/a.txt', oldText: 'one\ntwo\n', newText: 'one\n2\n' } as const;

/** The permission that the chat derives from a request; title and arguments come from the model. */
function permission(
  toolCall: object,
  options: readonly object[] = [{ optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' }],
): ChatPermission {
  const call = {
    toolCallId: 'call',
    title: 'List the files (harmless)',
    content: [],
    locations: [],
    ...toolCall,
  };
  const data = { requestId: 'r', sessionId: 's', toolCall: call, options };
  const [request] = reduceChat(emptyChat, [{ type: 'permission_request', data }]).model.pending;
  if (request?.kind !== 'permission') throw new Error(`This is no permission: ${JSON.stringify(request)}`);
  return request;
}

function shell(rawInput: unknown): ChatPermission {
  return permission({ kind: 'execute', rawInput, _meta: { toolName: 'run_shell_command' } });
}

function change(toolName: string, rawInput: object, content: readonly object[] = [diff]): ChatPermission {
  return permission({ kind: 'edit', rawInput, content, _meta: { toolName } });
}

describe('permissionDetails', () => {
  it("contains the command but not the title, and marks the description as the agent's words", () => {
    expect(
      permissionDetails(shell({ description: 'List files', directory: '/tmp', command: 'rm -rf ~' })),
    ).toEqual({
      action: 'run',
      subject: 'rm -rf ~',
      tool: 'run_shell_command',
      fields: [
        { name: 'command', text: 'rm -rf ~', kind: 'command' },
        { name: 'directory', text: '/tmp', kind: 'argument' },
        { name: 'description', text: 'List files', kind: 'words' },
      ],
    });
  });

  it.each([
    ['longer than a heading', `touch ${'a'.repeat(60)}`],
    ['of several lines', 'ls\nrm -rf ~'],
    ['that begins with nothing', ' touch x'],
    ['that is no text', ['rm', '-rf', '~']],
  ])('has no subject for a command %s, but the complete command', (_name, command) => {
    const { subject, fields } = permissionDetails(shell({ command }));
    expect(subject).toBeUndefined();
    const text = typeof command === 'string' ? command : JSON.stringify(command, undefined, 2);
    expect(fields).toEqual([{ name: 'command', text, kind: 'command' }]);
  });

  it('treats `command` as a command only for tools that execute it', () => {
    const foreign = permission({
      kind: 'other',
      rawInput: { text: 'hi', command: 'ls', description: 'd' },
      _meta: { toolName: 'mcp__evil__echo' },
    });
    expect(permissionDetails(foreign)).toEqual({
      action: 'use',
      subject: 'mcp__evil__echo',
      tool: 'mcp__evil__echo',
      fields: [
        { name: 'text', text: 'hi', kind: 'argument' },
        { name: 'command', text: 'ls', kind: 'argument' },
        { name: 'description', text: 'd', kind: 'argument' },
      ],
    });
    const { subject, fields } = permissionDetails(change('write_file', { command: 'ls' }));
    expect([subject, fields]).toEqual(['a.txt', [{ name: 'command', text: 'ls', kind: 'argument' }]]);
  });

  it("contains a sub-agent's prompt, and its description as the agent's words", () => {
    const agent = permission({
      kind: 'other',
      rawInput: { description: 'Tidy up', prompt: 'Delete everything' },
      _meta: { toolName: 'agent' },
    });
    expect(permissionDetails(agent)).toMatchObject({
      subject: 'agent',
      fields: [
        { name: 'prompt', text: 'Delete everything', kind: 'argument' },
        { name: 'description', kind: 'words' },
      ],
    });
  });

  it('contains everything that the diff does not show, without duplicates', () => {
    const { path, newText } = diff;
    expect(permissionDetails(change('write_file', { file_path: path, content: newText })).fields).toEqual([]);
    expect(
      permissionDetails(change('edit', { file_path: path, old_string: 'two', new_string: '2' })).fields,
    ).toEqual([]);
    expect(
      permissionDetails(change('write_file', { file_path: '/etc/hosts', content: 'other' })).fields,
    ).toMatchObject([
      { name: 'file_path', text: '/etc/hosts' },
      { name: 'content', text: 'other' },
    ]);
    expect(permissionDetails(change('edit', { new_string: 'three' })).fields).toMatchObject([
      { name: 'new_string', text: 'three' },
    ]);
    expect(permissionDetails(change('mcp__evil__edit', { content: newText })).fields).toMatchObject([
      { name: 'content' },
    ]);
  });

  it('contains the arguments of an unnamed tool', () => {
    const unnamed = permission({ kind: 'execute', rawInput: { command: 'touch x' } });
    expect(permissionDetails(unnamed)).toEqual({
      action: 'run',
      subject: 'touch x',
      fields: [{ name: 'command', text: 'touch x', kind: 'command' }],
    });
  });

  it('contains arguments of any type, and locations that no argument names', () => {
    expect(permissionDetails(shell('rm -rf ~')).fields).toEqual([
      { name: '', text: 'rm -rf ~', kind: 'argument' },
    ]);
    const odd = permission({
      kind: 'constructor',
      rawInput: JSON.parse('{ "path": "/a", "depth": 3, "list": [1], "__proto__": null }') as unknown,
      locations: [{ path: '/a' }, { path: '/b', line: 4 }],
    });
    const { action, fields } = permissionDetails(odd);
    expect(action).toBe('use');
    expect(fields.map(({ name, text }) => [name, text])).toEqual([
      ['path', '/a'],
      ['depth', '3'],
      ['list', '[\n  1\n]'],
      ['__proto__', 'null'],
      ['location', '/b:4'],
    ]);
  });
});

describe('isWholeChange', () => {
  const whole = change('write_file', { file_path: diff.path, content: diff.newText });

  it('is true for a permission that consists of this diff', () => {
    expect(isWholeChange(whole, diff)).toBe(true);
  });

  it.each([
    ['another text', whole, { ...diff, newText: 'one\n' }],
    ['another file', whole, { ...diff, path: '/w/a.txt' }],
    ['another text before', whole, { path: diff.path, newText: diff.newText }],
    ['a command of the same call', shell({ command: 'touch x' }), diff],
    ['one of two changes', change('edit', {}, [diff, { ...diff, path: '/b' }]), diff],
    [
      'a change with a warning',
      change('edit', {}, [diff, { type: 'content', content: { type: 'text', text: 'w' } }]),
      diff,
    ],
    ['a change and more arguments', change('write_file', { command: 'ls' }), diff],
  ])('is false for %s', (_name, request, shown) => {
    expect(isWholeChange(request, shown)).toBe(false);
  });
});

describe('an option', () => {
  const optionOf = (option: object) => permission({ kind: 'execute' }, [option]).options[0];

  it.each([
    [
      { optionId: 'proceed_once', kind: 'allow_once', name: 'Allow' },
      { name: 'Allow', isAllow: true, scope: 'once' },
    ],
    [
      { optionId: 'cancel', kind: 'reject_once', name: 'Reject' },
      { name: 'Reject', isAllow: false },
    ],
    [
      { optionId: 'cancel', kind: 'reject_once', name: 'No, keep planning (esc)' },
      { name: 'No, keep planning (esc)' },
    ],
    [
      { optionId: 'proceed_once', kind: 'allow_once', name: 'Reject' },
      { name: 'Allow', isAllow: true },
    ],
    [
      { optionId: 'cancel', kind: 'reject_once', name: 'Always allow' },
      { name: 'Reject', isAllow: false },
    ],
    [
      { optionId: 'proceed_once', kind: 'reject_once', name: 'No' },
      { name: 'Allow', isAllow: true },
    ],
    [
      { optionId: 'proceed_always_project', kind: 'allow_once', name: 'Allow' },
      { isAllow: true, scope: 'project' },
    ],
    [{ optionId: 'proceed_always_user' }, { name: 'Allow', isAllow: true, scope: 'user' }],
    [
      { optionId: 'proceed_always_server', kind: 'allow_once', name: 'Once' },
      { isAllow: true, scope: 'session' },
    ],
    [
      { optionId: 'yes', kind: 'allow_always', name: 'Allow' },
      { isAllow: true, scope: 'session' },
    ],
  ])('is named by its effect and scope, not by what the daemon calls it: %o', (option, shown) => {
    expect(optionOf(option)).toMatchObject(shown);
  });
});
