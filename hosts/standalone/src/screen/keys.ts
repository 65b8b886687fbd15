import { graphemesOf, widthOf } from './cells.js';
import { changeStarts, type Row, textOfRow } from './diffModel.js';
import { geometryOf, listRows, listTop, withCursorShown } from './geometry.js';
import type { Input } from './input.js';
import { type KeyCommand, keyCommands } from './keyCommands.js';
import { diffRows, type Effect, isSplit, type Overlay, type State, select, selectedReview } from './state.js';

/** The state after an input of the user, and what is to be done. */
export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
}

const still = (state: State): Step => ({ state, effects: [] });

/** What an input of the user does. */
export function afterInput(before: State, input: Input): Step {
  const state = input.kind === 'background' ? before : { ...before, notice: undefined };
  const step = stepOf(state, input);
  return { ...step, state: withCursorShown(step.state) };
}

function stepOf(state: State, input: Input): Step {
  if (input.kind === 'background') return still(state);
  if (input.kind === 'mouse') return afterMouse(state, input);
  const { overlay } = state;
  if (overlay?.kind === 'type') return afterTyping(state, overlay, input);
  if (input.kind === 'paste') return still(state);
  if (input.name === 'ctrl+c') return { state, effects: [{ kind: 'quit' }] };
  if (input.name === 'ctrl+z') return { state, effects: [{ kind: 'suspend' }] };
  if (overlay?.kind === 'help') return inHelp(state, overlay, input.name);
  if (overlay?.kind === 'choose') return inChoices(state, overlay, input.name);
  const command = keyCommands.find(({ keys }) => keys.includes(input.name))?.command;
  return command === undefined ? still(state) : run(state, command);
}

/** Does what a key means. */
function run(state: State, command: KeyCommand): Step {
  const { bodyHeight } = geometryOf(state);
  switch (command) {
    case 'down':
      return state.focus === 'list' ? step(state, 1) : still(move(state, 1));
    case 'up':
      return state.focus === 'list' ? step(state, -1) : still(move(state, -1));
    case 'pageDown':
      return still(scroll(state, bodyHeight - 2));
    case 'pageUp':
      return still(scroll(state, 2 - bodyHeight));
    case 'top':
      return still({ ...state, cursor: 0 });
    case 'bottom':
      return still({ ...state, cursor: diffRows(state).length - 1 });
    case 'left':
      return still({ ...state, shift: Math.max(0, state.shift - 8) });
    case 'right':
      return still({
        ...state,
        shift: Math.min(state.shift + 8, Math.max(0, (state.shown?.diff.longest ?? 0) - 20)),
      });
    case 'nextChange':
      return still(jump(state, 1));
    case 'previousChange':
      return still(jump(state, -1));
    case 'nextReview':
      return step(state, 1);
    case 'previousReview':
      return step(state, -1);
    case 'focus':
      return still({ ...state, focus: state.focus === 'list' ? 'diff' : 'list' });
    case 'open':
      return state.focus === 'list' ? still({ ...state, focus: 'diff' }) : still(unfold(state));
    case 'layout':
      return still({ ...state, layout: isSplit(state) ? 'unified' : 'split' });
    case 'toggle':
      return toggleHunk(state);
    case 'accept':
      return act(state, ({ isPrimary }) => isPrimary === true);
    case 'reject':
      return act(state, ({ id, isDangerous }) => id === 'reject' || isDangerous === true);
    case 'actions':
      return still(chooseAction(state));
    case 'acceptSession':
      return decide(state, 'accept');
    case 'rejectSession':
      return decide(state, 'reject');
    case 'edit':
    case 'diffTool':
      return edit(state, command === 'diffTool');
    case 'comment':
      return still(startComment(state));
    case 'feedback':
      return withSelected(state, ({ id }) => ({ kind: 'feedback', id }));
    case 'undo':
      return undo(state);
    case 'search':
      return still(typing(state, { purpose: 'search', title: 'Search', text: state.search, place: {} }));
    case 'help':
      return still({ ...state, overlay: { kind: 'help', top: 0 } });
    case 'escape':
      return still({ ...state, search: '', focus: 'diff' });
    case 'suspend':
      return { state, effects: [{ kind: 'suspend' }] };
    case 'quit':
      return { state, effects: [{ kind: 'quit' }] };
  }
}

function withSelected(state: State, effect: (review: { readonly id: string }) => Effect): Step {
  const review = selectedReview(state);
  return review === undefined ? still(state) : { state, effects: [effect(review)] };
}

function move(state: State, by: number): State {
  return { ...state, cursor: state.cursor + by };
}

function scroll(state: State, by: number): State {
  return { ...state, cursor: state.cursor + by, top: Math.max(0, state.top + by) };
}

/** To the review after or before the selected one. */
function step(state: State, by: number): Step {
  const { reviews, selected } = state;
  const at = reviews.findIndex(({ id }) => id === selected);
  const next = reviews[at < 0 ? 0 : at + by];
  return next === undefined ? still(state) : select(state, next.id);
}

/** To the next or previous change, or match of the search. */
function jump(state: State, by: 1 | -1): State {
  const { shown, search, cursor } = state;
  if (shown === undefined) return state;
  const rows = diffRows(state);
  const targets = search === '' ? changeStarts(rows, shown.diff) : matchesOf(state, rows);
  const target = by > 0 ? targets.find((at) => at > cursor) : targets.filter((at) => at < cursor).at(-1);
  if (target !== undefined) return { ...state, cursor: target, focus: 'diff', top: centred(state, target) };
  const what = search === '' ? 'change' : 'match';
  const where = by > 0 ? 'after' : 'before';
  return { ...state, notice: { text: `There is no ${what} ${where} this line.`, isError: false } };
}

function centred(state: State, row: number): number {
  const { bodyHeight } = geometryOf(state);
  const isOnScreen = row >= state.top && row < state.top + bodyHeight - 2;
  return isOnScreen ? state.top : Math.max(0, row - Math.floor(bodyHeight / 3));
}

/** The rows that contain the search. Without capitals, these are ignored. */
export function matchesOf(state: State, rows: readonly Row[]): number[] {
  const { shown, search } = state;
  if (shown === undefined || search === '') return [];
  const isExact = search !== search.toLowerCase();
  return rows.flatMap((row, at) => {
    const text = textOfRow(shown.diff, row);
    return (isExact ? text : text.toLowerCase()).includes(search) ? at : [];
  });
}

function unfold(state: State): State {
  const row = diffRows(state)[state.cursor];
  const block = state.shown?.diff.blocks[row?.block ?? -1];
  if (row?.kind !== 'fold' || block?.kind !== 'same') return state;
  return { ...state, unfolded: new Set([...state.unfolded, block.old]) };
}

function toggleHunk(state: State): Step {
  const { shown, cursor } = state;
  const rows = diffRows(state);
  const block = shown?.diff.blocks[rows[cursor]?.block ?? -1];
  if (shown === undefined || shown.details.state !== 'pending' || block === undefined) return still(state);
  if (block.kind === 'same') {
    return still({
      ...state,
      notice: { text: 'There is no change on this line. n goes to the next one.', isError: false },
    });
  }
  if (block.hunk === undefined) {
    return still({
      ...state,
      notice: { text: 'This change was edited: e opens it in your editor.', isError: false },
    });
  }
  const { id } = shown.details;
  return { state, effects: [{ kind: 'hunk', id, hunk: block.hunk, isKept: block.kind === 'dropped' }] };
}

type Action = State['reviews'][number]['actions'][number];

/** What the desk offers for the selected review. */
function actionsOf(state: State): readonly Action[] {
  return selectedReview(state)?.actions ?? [];
}

function act(state: State, isMeant: (action: Action) => boolean): Step {
  const action = actionsOf(state).find(isMeant);
  return action === undefined ? still(state) : { state, effects: [actOf(state, action)] };
}

function actOf(state: State, { id: action }: Action): Effect {
  // Only what the user sees is decided.
  const version = state.shown?.details.version;
  return { kind: 'act', id: state.selected ?? '', action, version };
}

function chooseAction(state: State): State {
  const options = actionsOf(state).map((action) => ({
    label: action.label,
    isDangerous: action.isDangerous,
    effects: [actOf(state, action)],
  }));
  if (options.length === 0) return state;
  const message = `Review ${state.selected}`;
  return { ...state, overlay: { kind: 'choose', message, detail: '', options, chosen: 0 } };
}

function decide(state: State, decision: 'accept' | 'reject'): Step {
  const review = selectedReview(state);
  if (review === undefined) return still(state);
  return { state, effects: [{ kind: 'decide', session: review.session, decision }] };
}

function edit(state: State, isDiff: boolean): Step {
  const { shown, cursor } = state;
  if (shown === undefined || shown.details.isBinary) return still(state);
  const rows = diffRows(state);
  const from = rows.slice(cursor).find((row) => row.new !== undefined)?.new;
  return { state, effects: [{ kind: 'edit', id: shown.details.id, line: from ?? 0, isDiff }] };
}

function undo(state: State): Step {
  const last = state.undo.at(-1);
  if (last === undefined)
    return still({ ...state, notice: { text: 'There is nothing to undo.', isError: false } });
  return { state: { ...state, undo: state.undo.slice(0, -1) }, effects: [{ ...last, isUndo: true }] };
}

/** On the line of the cursor; on a fold, or where there is no line, on the whole proposal. */
function startComment(state: State): State {
  const { shown, cursor } = state;
  if (shown === undefined || shown.details.state !== 'pending') return state;
  const row = diffRows(state)[cursor];
  const side = row?.new === undefined ? 'file' : 'proposal';
  const line = row?.kind === 'fold' ? undefined : (row?.new ?? row?.old);
  const place = line === undefined ? {} : ({ side, lines: { first: line, last: line } } as const);
  const of = side === 'file' ? ' of the file' : '';
  const title = line === undefined ? 'Comment on the whole proposal' : `Comment on line ${line + 1}${of}`;
  return typing(state, { purpose: 'comment', title, text: '', place });
}

function typing(
  state: State,
  of: Pick<Extract<Overlay, { kind: 'type' }>, 'purpose' | 'title' | 'text' | 'place'>,
): State {
  return { ...state, overlay: { kind: 'type', id: state.selected ?? '', ...of } };
}

function afterTyping(
  state: State,
  overlay: Extract<Overlay, { kind: 'type' }>,
  input: Extract<Input, { kind: 'key' | 'paste' }>,
): Step {
  const put = (text: string): Step => still({ ...state, overlay: { ...overlay, text } });
  if (input.kind === 'paste') return put(overlay.text + input.text.replace(/\r\n?/g, '\n'));
  const { name } = input;
  if (name === 'escape' || name === 'ctrl+c') return still({ ...state, overlay: undefined });
  if (name === 'backspace') {
    const characters = graphemesOf(overlay.text);
    return put(
      characters
        .slice(0, -1)
        .map(({ text }) => text)
        .join(''),
    );
  }
  if (name === 'ctrl+u') return put('');
  if (name === 'ctrl+w') return put(overlay.text.replace(/\S*\s*$/, ''));
  if (name === 'ctrl+j' || name === 'ctrl+o') return put(`${overlay.text}\n`);
  if (name === 'enter') return afterTyped(state, overlay);
  // The names of other keys have several letters.
  return graphemesOf(name).length === 1 ? put(overlay.text + name) : still(state);
}

function afterTyped(state: State, { purpose, text, place, id }: Extract<Overlay, { kind: 'type' }>): Step {
  if (purpose === 'search') {
    const found = { ...state, overlay: undefined, search: text };
    if (text === '') return still(found);
    const matches = matchesOf(found, diffRows(found));
    const first = matches.find((at) => at >= state.cursor) ?? matches[0];
    if (first === undefined)
      return still({ ...found, search: '', notice: { text: `Not found: ${text}`, isError: false } });
    return still({ ...found, cursor: first, top: centred(found, first), focus: 'diff' });
  }
  if (text.trim() === '') return still({ ...state, overlay: undefined });
  // It stays open until the companion has the comment.
  return { state, effects: [{ kind: 'comment', id, text, ...place }] };
}

function inHelp(state: State, overlay: Extract<Overlay, { kind: 'help' }>, name: string): Step {
  const by = name === 'j' || name === 'down' ? 1 : name === 'k' || name === 'up' ? -1 : 0;
  if (by === 0) return still({ ...state, overlay: undefined });
  const most = Math.max(0, keyCommands.length - (state.rows - 6));
  return still({ ...state, overlay: { ...overlay, top: Math.max(0, Math.min(most, overlay.top + by)) } });
}

function inChoices(state: State, overlay: Extract<Overlay, { kind: 'choose' }>, name: string): Step {
  const { options, chosen } = overlay;
  const at = (index: number): Step =>
    still({
      ...state,
      overlay: { ...overlay, chosen: (index + options.length) % Math.max(1, options.length) },
    });
  if (name === 'j' || name === 'down' || name === 'tab' || name === 'right') return at(chosen + 1);
  if (name === 'k' || name === 'up' || name === 'shift+tab' || name === 'left') return at(chosen - 1);
  const numbered = /^[1-9]$/.test(name) ? options[Number(name) - 1] : undefined;
  const option = name === 'enter' ? options[chosen] : numbered;
  if (option !== undefined) return { state: { ...state, overlay: undefined }, effects: option.effects };
  return name === 'escape' || name === 'q' || name === 'enter'
    ? still({ ...state, overlay: undefined })
    : still(state);
}

function afterMouse(state: State, { what, column, row }: Extract<Input, { kind: 'mouse' }>): Step {
  if (state.overlay !== undefined) return still(state);
  const { listWidth, bodyTop, bodyHeight } = geometryOf(state);
  if (what === 'press' && row === state.rows - 1) return afterFooterClick(state, column);
  const isInList = column < listWidth;
  if (what !== 'press') {
    const by = what === 'down' ? 1 : -1;
    return isInList ? step(state, by) : still(scroll(state, by * 3));
  }
  if (isInList) {
    const rows = listRows(state);
    const hit = rows[listTop(state, rows, state.rows - 3) + row - 1];
    const review = hit?.kind === 'review' ? state.reviews[hit.index] : undefined;
    return review === undefined || row === 0 ? still(state) : select({ ...state, focus: 'list' }, review.id);
  }
  const at = state.top + row - bodyTop;
  if (row < bodyTop || row >= bodyTop + bodyHeight || at >= diffRows(state).length) return still(state);
  const there: State = { ...state, cursor: at, focus: 'diff' };
  return still(diffRows(there)[at]?.kind === 'fold' ? unfold(there) : there);
}

/** A key with its meaning, in the last line. */
export interface FooterItem {
  readonly key: string;
  readonly label: string;
  readonly command: KeyCommand;
}

/** What the last line offers: the desk's actions with its labels, then what else is often needed. */
export function footerItems(state: State): FooterItem[] {
  const actions = actionsOf(state).flatMap(({ id, label, isPrimary, isDangerous }): FooterItem[] => {
    if (isPrimary) return [{ key: 'a', label, command: 'accept' }];
    if (id === 'reject' || isDangerous) return [{ key: 'r', label, command: 'reject' }];
    return [{ key: 'x', label: `${label}…`, command: 'actions' }];
  });
  const isPending = selectedReview(state)?.state === 'pending';
  const others: FooterItem[] = [
    ...(isPending
      ? ([
          { key: 'space', label: 'Keep or drop', command: 'toggle' },
          { key: 'e', label: 'Edit', command: 'edit' },
          { key: 'c', label: 'Comment', command: 'comment' },
        ] as const)
      : []),
    { key: 'n', label: 'Next change', command: 'nextChange' },
    { key: ']', label: 'Next review', command: 'nextReview' },
  ];
  const always: FooterItem[] = [
    { key: '?', label: 'Keys', command: 'help' },
    { key: 'q', label: 'Quit', command: 'quit' },
  ];
  const widthOfAll = (items: readonly FooterItem[]): number =>
    items.reduce((sum, item) => sum + footerWidth(item), 0);
  const shown = others.filter((_, at) => {
    const before = others.slice(0, at + 1);
    return widthOfAll([...actions, ...before, ...always]) <= state.columns;
  });
  return [...actions, ...shown, ...always];
}

/** Columns of an item: ` a Accept `. */
function footerWidth({ key, label }: FooterItem): number {
  return widthOf(` ${key} ${label} `);
}

function afterFooterClick(state: State, column: number): Step {
  let at = 0;
  for (const item of footerItems(state)) {
    at += footerWidth(item);
    if (column < at) return run(state, item.command);
  }
  return still(state);
}
