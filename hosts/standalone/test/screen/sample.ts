import type { ReviewDetails } from '@tandem/companion/control';
import { computeHunks, countLines } from '@tandem/reviews';
import type { SessionSummary } from '@tandem/rpc';
import { withCursorShown } from '../../src/screen/geometry.js';
import type { Input } from '../../src/screen/input.js';
import { afterInput, type Step } from '../../src/screen/keys.js';
import { layout } from '../../src/screen/layout.js';
import { afterEvent, initialState, type ScreenEvent, type State } from '../../src/screen/state.js';

export const original = `${Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join('\n')}\n`;
export const proposed = original
  .replace('line 3\n', 'line three\n')
  .replace('line 12\n', 'line 12\nline 12a\nline 12b\n')
  .replace('line 18\n', '');

/** A review as the companion shows it. `dropped`: the indexes of its hunks. */
export function review(
  id: string,
  {
    dropped = [],
    before = original,
    after = proposed,
    content,
    ...rest
  }: Partial<ReviewDetails> & { dropped?: readonly number[]; before?: string; after?: string } = {},
): ReviewDetails {
  const hunks = computeHunks(before, after);
  return {
    id,
    agent: 'claude',
    session: 'session-1',
    path: `/home/me/src/file${id}.ts`,
    agentName: 'Claude Code',
    label: `src/file${id}.ts`,
    state: 'pending',
    openedAt: 0,
    actions: [
      { id: 'accept', label: 'Accept', isPrimary: true },
      { id: 'reject', label: 'Reject' },
    ],
    isNewFile: false,
    concerns: [],
    isBinary: false,
    isEdited: dropped.length > 0,
    notes: [],
    hunks: hunks.length,
    ...countLines(hunks),
    original: before,
    proposed: after,
    content: content ?? after,
    hunkList: hunks.map(({ original: gone, proposed: come }, at) => ({
      original: gone,
      proposed: come,
      isKept: !dropped.includes(at),
    })),
    version: 1,
    commentList: [],
    ...rest,
  };
}

function session(id: string, pending: readonly string[], title?: string): SessionSummary {
  return {
    id,
    agent: 'claude',
    agentName: 'Claude Code',
    ...(title !== undefined && { title }),
    firstPath: '/home/me/src/file1.ts',
    firstOpenedAt: 0,
    isConnected: true,
    pending: [...pending],
    decided: 0,
    files: 0,
    lastActiveAt: 0,
  };
}

/** A screen that shows the first of these reviews. */
export function screenOf(reviews: readonly ReviewDetails[], columns = 80, rows = 24): State {
  const ids = reviews.map(({ id }) => id);
  const listed = after(initialState(columns, rows), {
    kind: 'lists',
    reviews,
    sessions: [session('session-1', ids, 'Count the lines')],
  });
  const [first] = reviews;
  return first === undefined ? listed : after(listed, { kind: 'shown', details: first });
}

export function after(state: State, event: ScreenEvent): State {
  return withCursorShown(afterEvent(state, event).state);
}

/** The state after keys, with what the last one asked for. */
export function press(state: State, ...names: readonly string[]): Step {
  return names.reduce<Step>((step, name) => afterInput(step.state, { kind: 'key', name } satisfies Input), {
    state,
    effects: [],
  });
}

/** What a user reads on the screen. */
export function textOf(state: State): string {
  return layout(state)
    .map((line) =>
      line
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    )
    .join('\n');
}
