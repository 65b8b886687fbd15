import { type Outcome, onceDecided, type Review } from '@tandem/reviews';
import { beforeEach, describe, expect, it } from 'vitest';
import { hookedId } from '../src/hooks/hookModes.js';
import { agents, type RunningProtocol } from '../src/index.js';
import { ClaudeClient } from './support/claudeClient.js';
import { HookedStage } from './support/hookedStage.js';

const path = '/w/a.txt';
/** That of `ClaudeClient`. */
const connectedPid = 54_321;

let stage: HookedStage;
let running: RunningProtocol;
beforeEach(async () => {
  stage = await HookedStage.open(agents.claude, { [path]: 'one\ntwo\n' });
  running = stage.running;
});

const edit = { file_path: path, old_string: 'two', new_string: 'TWO', replace_all: false };
const input = (tool_name: string, tool_input: object, permission_mode = 'acceptEdits') => ({
  session_id: 'abc',
  hook_event_name: 'PreToolUse',
  permission_mode,
  tool_name,
  tool_input,
});

/** Starts the hook of a call, and resolves to what it prints. */
async function hook(...call: Parameters<HookedStage['hook']>): Promise<unknown> {
  return Object(await stage.hook(...call)).hookSpecificOutput;
}

describe('the hook of an edit, with -p or without a connection', () => {
  it('allows what the user accepted, as it is [HOK-1]', async () => {
    const printed = hook(input('Edit', edit));
    const review = await stage.editor.whenShown();
    expect(review.content).toBe('one\nTWO\n');
    expect(review.proposal.agent).toBe('claude');
    review.accept();
    expect(await printed).toEqual({ hookEventName: 'PreToolUse', permissionDecision: 'allow' });
    expect(review.isAnswered).toBe(true);
  });

  it.each([
    ['Edit', edit, { ...edit, old_string: 'one\ntwo\n', new_string: 'mine\n' }],
    ['Write', { file_path: path, content: 'x\n' }, { file_path: path, content: 'mine\n' }],
  ])(
    'replaces the arguments of %s by the corrected text, and informs the model [HOK-2]',
    async (tool, args, replaced) => {
      const printed = hook(input(tool, args));
      const review = await stage.editor.whenShown();
      review.edit('mine\n');
      review.accept();
      expect(await printed).toEqual({
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: replaced,
        additionalContext: expect.stringContaining('a.txt does not contain exactly what you wrote'),
      });
    },
  );

  it('writes the merged text if the file changed meanwhile [HOK-4]', async () => {
    const printed = hook(input('Edit', edit));
    const review = await stage.editor.whenShown();
    stage.files.write(path, 'zero\none\ntwo\n');
    review.edit('zero\none\nTWO\n');
    review.accept();
    expect(await printed).toMatchObject({
      updatedInput: { old_string: 'zero\none\ntwo\n', new_string: 'zero\none\nTWO\n' },
    });
  });

  it('denies what the user rejected, with the comments [HOK-3]', async () => {
    const printed = hook(input('Edit', edit));
    const review = await stage.editor.whenShown();
    review.addComment({ text: 'Keep it.', lines: { first: 1, last: 1 } });
    review.reject();
    expect(await printed).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('Keep it.'),
    });
  });

  it('denies with the feedback that is sent with the rejection', async () => {
    const printed = hook(input('Edit', edit));
    const review = await stage.editor.whenShown();
    const held = running.prompt?.hooks?.hold(review);
    review.reject();
    expect(await running.prompt?.whenTaken(review)).toBe(true);
    expect(held?.deny('Start over.')).toBe(true);
    expect(await printed).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: 'Start over.',
    });
  });

  it('ends its review when the agent ends the hook, and what was typed is kept [HOK-5]', async () => {
    const agent = new AbortController();
    const printed = hook(input('Edit', edit), { signal: agent.signal });
    const review = await stage.editor.whenShown();
    review.edit('typed\n');
    const ended = whenEnded(review);
    agent.abort();
    expect(await ended).toEqual({ kind: 'withdrawn', reason: 'agent' });
    expect(await printed).toMatchObject({ permissionDecision: 'deny' });
    expect(stage.reviews.get(review.id)?.content).toBe('typed\n');
  });

  it.each([
    ['text that is not in the file', input('Edit', { ...edit, old_string: 'three' }), 'Read the file again'],
    [
      'a notebook that is not there',
      input('NotebookEdit', { notebook_path: '/w/a.ipynb' }),
      'the cell is not',
    ],
    ['a relative path', input('Write', { file_path: 'a.txt', content: '' }), 'Use another tool'],
  ])('denies what cannot be shown where each edit is reviewed: %s [HOK-6]', async (_what, call, reason) => {
    expect(await hook(call)).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining(reason),
    });
    expect(await hook(call, { mode: 'follow' })).toBeUndefined();
    expect(stage.reviews.pending).toEqual([]);
  });

  it('says nothing about a call that changes nothing', async () => {
    expect(await hook(input('Write', { file_path: path, content: 'one\ntwo\n' }))).toBeUndefined();
  });

  it('is a session while its process runs', async () => {
    const printed = hook(input('Edit', edit));
    const review = await stage.editor.whenShown();
    const [session] = running.sessions();
    expect(session).toMatchObject({
      id: review.proposal.session,
      pid: process.pid,
      client: { name: 'Claude Code' },
    });
    const ended = whenEnded(review);
    await hook({ session_id: 'abc', hook_event_name: 'SessionEnd', reason: 'other' });
    expect((await ended).kind).toBe('withdrawn');
    await printed;
    expect(running.sessions()).toEqual([]);
  });

  it('is reviewed also if its session has ended before, and was resumed', async () => {
    const allowed = { permissionDecision: 'allow' };
    for (const _run of ['the first', 'the resumed']) {
      const printed = hook(input('Edit', edit));
      (await stage.editor.whenShown()).accept();
      expect(await printed).toMatchObject(allowed);
      await hook({ session_id: 'abc', hook_event_name: 'SessionEnd', reason: 'other' });
    }
  });
});

describe('the hook of an edit of a connected Claude Code in a terminal', () => {
  beforeEach(() => ClaudeClient.connect(running));

  it.each(['default', 'acceptEdits', 'auto', 'bypassPermissions'])(
    'makes it ask in the mode %s [HOK-1]',
    async (mode) => {
      expect(await hook(input('Edit', edit, mode), { pid: connectedPid, isInteractive: true })).toEqual({
        hookEventName: 'PreToolUse',
        permissionDecision: 'ask',
        permissionDecisionReason: expect.stringContaining('Tandem'),
      });
      expect(stage.reviews.pending).toEqual([]);
    },
  );

  it('asks nothing where it follows its mode: its own question comes with the diff', async () => {
    const how = { pid: connectedPid, isInteractive: true, mode: 'follow' } as const;
    expect(await hook(input('Edit', edit, 'auto'), how)).toBeUndefined();
    expect(await hook(input('Edit', edit, 'default'), how)).toBeUndefined();
  });

  it('is of the session of the connection, also if its process connected after an earlier edit', async () => {
    const earlier = hook(input('Edit', edit));
    (await stage.editor.whenShown()).reject();
    await earlier;
    expect(running.sessions()).toHaveLength(2);
    await hook(input('Edit', edit), { pid: connectedPid, isInteractive: true });
    expect(running.sessions()).toMatchObject([{ pid: connectedPid }]);
  });

  it('holds the edit itself with -p, in the session of the connection', async () => {
    const printed = hook(input('Edit', edit), { pid: connectedPid });
    const review = await stage.editor.whenShown();
    expect(review.proposal.session).toBe(running.sessions()[0]?.id);
    review.reject();
    expect(await printed).toMatchObject({ permissionDecision: 'deny' });
  });
});

describe('an edit that does not wait', () => {
  const call = { ...input('Edit', edit), tool_use_id: 't1' };
  const written = { ...call, hook_event_name: 'PostToolUse', tool_response: {} };

  it.each(['follow', 'after'] as const)('is recorded once it is written: %s [HOK-7]', async (mode) => {
    expect(await hook(call, { mode })).toBeUndefined();
    stage.files.write(path, 'one\nTWO\n');
    expect(await hook(written, { mode })).toBeUndefined();
    expect(stage.written).toEqual([
      {
        agent: 'claude',
        session: hookedId('abc'),
        path,
        before: { kind: 'text', text: 'one\ntwo\n' },
        after: { kind: 'text', text: 'one\nTWO\n' },
        title: 'Edit',
      },
    ]);
    await hook(written, { mode });
    expect(stage.written).toHaveLength(1);
  });

  it('is not recorded if it changed nothing, belongs to another call, or hooks are off', async () => {
    await hook(call, { mode: 'after' });
    await hook(written, { mode: 'after' });
    await hook(call, { mode: 'after' });
    stage.files.write(path, 'one\nTWO\n');
    await hook({ ...written, tool_use_id: 't2' }, { mode: 'after' });
    running.hooks?.setMode({ id: hookedId('abc') }, 'off');
    await hook({ ...call, tool_use_id: 't3' }, { mode: 'after' });
    await hook({ ...written, tool_use_id: 't3' }, { mode: 'after' });
    expect(stage.written).toEqual([]);
  });
});

it.each([[undefined], [null], [[]], [{}], [{ hook_event_name: 'PreToolUse' }], [{ session_id: 1 }]])(
  'says nothing to %j',
  async (call) => {
    expect(await hook(call)).toBeUndefined();
  },
);

function whenEnded(review: Review): Promise<Outcome> {
  return new Promise((resolve) => onceDecided(review, resolve));
}
