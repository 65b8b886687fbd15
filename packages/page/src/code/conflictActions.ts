import { isolateHistory } from '@codemirror/commands';
import { type EditorState, type Extension, StateField, type Text, type Transaction } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { shorten, visibleName } from '@tandem/core';

/** The lines of one conflict, between marks that git writes, by positions of line starts. */
export interface ConflictBlock {
  readonly from: number;
  readonly mine: Span;
  readonly theirs: Span;
  /** After the last mark and its line end. */
  readonly to: number;
  /** The names after the marks. */
  readonly names: { readonly mine: string; readonly theirs: string };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

type Choice = 'mine' | 'theirs' | 'both';

const mark = /^(?:<{7}|\|{7}|={7}|>{7})(?: |$)/;

/** The conflicts of a text, in order. A common ancestor between `|||||||` and `=======` belongs to neither side. */
export function findConflicts(doc: Text): ConflictBlock[] {
  const blocks: ConflictBlock[] = [];
  let open:
    | { from: number; mineFrom: number; mine: string; mineTo?: number; theirsFrom?: number }
    | undefined;
  let at = 0;
  for (const line of doc.iterLines()) {
    const next = Math.min(at + line.length + 1, doc.length);
    const sign = mark.test(line) ? line[0] : undefined;
    if (sign === '<') open = { from: at, mineFrom: next, mine: line.slice(8) };
    else if (open !== undefined && sign === '|') open.mineTo ??= at;
    else if (open !== undefined && sign === '=') {
      open.mineTo ??= at;
      open.theirsFrom ??= next;
    } else if (sign === '>' && open?.mineTo !== undefined && open.theirsFrom !== undefined) {
      const { from, mineFrom, mine, mineTo, theirsFrom } = open;
      blocks.push({
        from,
        mine: { from: mineFrom, to: mineTo },
        theirs: { from: theirsFrom, to: at },
        to: next,
        names: { mine, theirs: line.slice(8) },
      });
      open = undefined;
    }
    at = next;
  }
  return blocks;
}

/** The text that replaces a conflict. */
function resolvedText(doc: Text, { mine, theirs }: ConflictBlock, choice: Choice): string {
  const ours = choice === 'theirs' ? '' : doc.sliceString(mine.from, mine.to);
  return choice === 'mine' ? ours : ours + doc.sliceString(theirs.from, theirs.to);
}

interface Conflicts {
  readonly blocks: readonly ConflictBlock[];
  readonly buttons: DecorationSet;
}

const conflicts = StateField.define<Conflicts>({
  create: (state) => conflictsOf(state),
  update(value, transaction) {
    const { state, startState, docChanged } = transaction;
    const isSame = state.readOnly === startState.readOnly;
    if (isSame && (!docChanged || (value.blocks.length === 0 && !addsMark(transaction)))) return value;
    return conflictsOf(state);
  },
  provide: (field) => EditorView.decorations.from(field, ({ buttons }) => buttons),
});

/** Whether a changed line is a mark: texts without conflicts are not searched at every key. */
function addsMark({ changes, state: { doc } }: Transaction): boolean {
  let isFound = false;
  changes.iterChangedRanges((_fromA, _toA, fromB, toB) => {
    const last = doc.lineAt(toB).number;
    for (let number = doc.lineAt(fromB).number; number <= last && !isFound; number++)
      isFound = mark.test(doc.line(number).text);
  });
  return isFound;
}

/** The conflicts of a text that is edited. */
export function conflictsIn(state: EditorState): readonly ConflictBlock[] {
  return state.field(conflicts, false)?.blocks ?? [];
}

function conflictsOf(state: EditorState): Conflicts {
  const blocks = findConflicts(state.doc);
  const buttons = state.readOnly
    ? Decoration.none
    : Decoration.set(
        blocks.map((block, index) =>
          Decoration.widget({
            widget: new ConflictButtons(index, blocks.length, block),
            block: true,
            side: -1,
          }).range(block.from),
        ),
      );
  return { blocks, buttons };
}

/** A longer name is cut. */
const longestName = 40;

/** Buttons above each conflict, named after its marks, which use one side or both. Undo restores the conflict. */
export const conflictActions: Extension = [
  conflicts,
  EditorView.baseTheme({
    '.cm-conflict': {
      display: 'flex',
      flexWrap: 'wrap',
      alignItems: 'center',
      gap: 'var(--gap-1) var(--gap-2)',
      padding: '2px var(--gap-2)',
      color: 'var(--text)',
      background: 'var(--warning-surface)',
      borderTop: '1px solid var(--warning)',
      fontFamily: 'var(--font-text)',
      fontSize: 'var(--size-small)',
    },
    '.cm-conflict button': {
      minHeight: '24px',
      padding: '0 var(--gap-2)',
      color: 'var(--accent-text)',
      background: 'var(--surface)',
      border: '1px solid var(--border-strong)',
      borderRadius: '4px',
      font: 'inherit',
      fontWeight: '600',
      cursor: 'pointer',
    },
    '.cm-conflict button:hover': { background: 'var(--surface-hover)' },
    '.cm-conflict button:focus-visible': { outline: '2px solid var(--focus-ring)' },
  }),
];

const choices: readonly Choice[] = ['mine', 'theirs', 'both'];

/** For marks without names. */
const unnamed = { mine: 'the first version', theirs: 'the second version' };

function sideName({ names }: Pick<ConflictBlock, 'names'>, choice: Choice): string {
  if (choice === 'both') return 'both';
  return names[choice] === '' ? unnamed[choice] : visibleName(shorten(names[choice], longestName));
}

class ConflictButtons extends WidgetType {
  readonly #index: number;
  readonly #total: number;
  readonly #names: ConflictBlock['names'];

  constructor(index: number, total: number, { names }: ConflictBlock) {
    super();
    this.#index = index;
    this.#total = total;
    this.#names = names;
  }

  override eq(other: ConflictButtons): boolean {
    const isSame = this.#index === other.#index && this.#total === other.#total;
    return isSame && this.#names.mine === other.#names.mine && this.#names.theirs === other.#names.theirs;
  }

  override get estimatedHeight(): number {
    return 30;
  }

  override toDOM(view: EditorView): HTMLElement {
    const { mine, theirs } = this.#names;
    const row = document.createElement('div');
    row.className = 'cm-conflict';
    const name = this.#total === 1 ? 'Conflict' : `Conflict ${this.#index + 1} of ${this.#total}`;
    row.setAttribute('role', 'group');
    row.setAttribute('aria-label', name);
    row.append(name);
    const titles = { mine, theirs, both: `${mine}, then ${theirs}` };
    for (const choice of choices) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = `Use ${sideName({ names: this.#names }, choice)}`;
      button.title = titles[choice];
      button.addEventListener('click', () => this.#resolve(view, choice));
      row.append(button);
    }
    return row;
  }

  override ignoreEvent(): boolean {
    return true;
  }

  #resolve(view: EditorView, choice: Choice): void {
    const { state } = view;
    const block = state.field(conflicts).blocks[this.#index];
    if (block === undefined || state.readOnly) return;
    const { from, to } = block;
    const insert = resolvedText(state.doc, block, choice);
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from },
      userEvent: 'input.conflict',
      annotations: isolateHistory.of('full'),
      effects: EditorView.announce.of(`Used ${sideName(block, choice)}. Undo restores the conflict.`),
      scrollIntoView: true,
    });
    view.focus();
  }
}
