import { fit, type Line, type Span, type Style, shorten, span, widthOf, wrap } from './cells.js';
import { changeStarts } from './diffModel.js';
import { diffLines, type InkOf } from './diffPane.js';
import { geometryOf, type ListRow, listRows, listTop } from './geometry.js';
import { keyCommands } from './keyCommands.js';
import { footerItems, matchesOf } from './keys.js';
import { diffRows, type Overlay, type State, selectedReview } from './state.js';

/** The whole screen: one line for each of its rows, each with its full width. */
export function layout(state: State, inkOf?: InkOf): Line[] {
  const { columns, rows, overlay } = state;
  const lines = [topBar(state), ...middle(state, inkOf), statusLine(state), footer(state)].slice(0, rows);
  const screen = overlay === undefined ? lines : withOverlay(lines, overlay, state);
  return screen.map((line) => fit(line, columns));
}

const bar: Style = { paper: 'bar' };

function topBar(state: State): Line {
  const pending = state.reviews.filter(({ group }) => group === undefined).length;
  const apart = state.reviews.length - pending;
  const parts = [
    span(' Tandem  ', { paper: 'bar', isBold: true }),
    span(pending === 0 ? 'nothing pending' : `${pending} pending`, bar),
    ...(apart > 0 ? [span(` · ${apart} interrupted`, bar)] : []),
  ];
  const isLost = state.connection === 'lost';
  if (isLost)
    parts.push(
      span(' · the companion has ended; waiting for the next one', { paper: 'bar', ink: 'warning' }),
    );
  return shorten(parts, state.columns, bar);
}

function middle(state: State, inkOf: InkOf | undefined): Line[] {
  const geometry = geometryOf(state);
  const { listWidth, width, notes, bodyHeight } = geometry;
  const height = Math.max(0, state.rows - 3);
  const review = [
    titleLine(state, width),
    ...notes.map(({ text, isWarning }) =>
      fit([span(` ${text}`, { ink: isWarning ? 'warning' : 'dim' })], width),
    ),
    ...body(state, width, bodyHeight, inkOf),
  ];
  if (listWidth === 0) return review.slice(0, height);
  const rows = listRows(state);
  const top = listTop(state, rows, height);
  return Array.from({ length: height }, (_, at) => [
    ...listLine(state, rows[top + at], listWidth),
    span('│', { ink: 'dim' }),
    ...(review[at] ?? fit([], width)),
  ]);
}

function listLine(state: State, row: ListRow | undefined, width: number): Line {
  if (row === undefined) return fit([], width);
  const style: Style = { isBold: true, ink: 'accent' };
  if (row.kind === 'heading') return headingLine(state, row.first, width, style);
  const review = state.reviews[row.index];
  if (review === undefined) return fit([], width);
  const isSelected = review.id === state.selected;
  const paper = isSelected ? ('selected' as const) : undefined;
  const isWarned = review.notes.some(({ isWarning }) => isWarning);
  const label = review.label || review.path;
  const cutAt = Math.max(label.lastIndexOf('/'), label.lastIndexOf('\\')) + 1;
  const marks = `${isWarned ? '!' : ''}${review.isEdited ? '*' : ''}`;
  const counts = review.isBinary ? '' : `+${review.added} −${review.removed}`;
  const right = [span(marks, { paper, ink: 'warning' }), span(` ${counts} `, { paper, ink: 'dim' })];
  const rightWidth = right.reduce((sum, { text }) => sum + widthOf(text), 0);
  const left = [
    span(isSelected ? (state.focus === 'list' ? '▶' : '▸') : ' ', { paper, isBold: true }),
    span(`${review.id.padStart(2)} `, { paper, ink: 'dim' }),
    span(label.slice(cutAt), { paper, isBold: isSelected }),
    span(cutAt === 0 ? '' : `  ${label.slice(0, cutAt)}`, { paper, ink: 'dim' }),
  ];
  return [...shorten(left, Math.max(0, width - rightWidth), { paper }), ...right];
}

function headingLine(state: State, first: number, width: number, style: Style): Line {
  const review = state.reviews[first];
  if (review?.group !== undefined) return shorten([span(` ${review.group.label}`, style)], width);
  const session = state.sessions.find(({ id }) => id === review?.session);
  const count = `${session?.pending.length ?? 0} `;
  const name = session?.agentName ?? review?.agentName ?? '';
  const title = session?.title === undefined ? '' : ` ${session.title}`;
  const away = session?.isConnected === false ? ' (not connected)' : '';
  const left = shorten([span(` ${name}${away}`, style), span(title, { ink: 'dim' })], width - count.length);
  return [...left, span(count, style)];
}

function titleLine(state: State, width: number): Line {
  const review = selectedReview(state);
  if (review === undefined) return fit([], width);
  const parts: Span[] = [
    span(` ${review.label || review.path}`, { isBold: true }),
    span(`  ${review.agentName || review.agent}`, { ink: 'accent' }),
  ];
  if (!review.isBinary)
    parts.push(span(`  +${review.added}`, { ink: 'added' }), span(` −${review.removed}`, { ink: 'removed' }));
  if (review.isEdited) parts.push(span('  edited', { ink: 'warning' }));
  if (review.comments !== undefined)
    parts.push(
      span(review.comments === 1 ? '  1 comment' : `  ${review.comments} comments`, { ink: 'accent' }),
    );
  if (review.title) parts.push(span(`  ${review.title}`, { ink: 'dim' }));
  return shorten(parts, width);
}

function body(state: State, width: number, height: number, inkOf: InkOf | undefined): Line[] {
  const { shown, reviews } = state;
  if (reviews.length === 0)
    return middleText(
      ['Nothing is pending.', 'Proposals of agents appear here. q leaves, ? shows the keys.'],
      width,
      height,
    );
  if (shown === undefined) return middleText([], width, height);
  if (shown.details.isBinary)
    return middleText(['This is not text. It is decided as a whole.'], width, height);
  if (diffRows(state).length === 0 || shown.diff.blocks.every(({ kind }) => kind === 'same')) {
    const isEmpty = shown.diff.blocks.length === 0;
    if (isEmpty) return middleText(['No line differs.'], width, height);
  }
  return diffLines(state, { width, height, ...(inkOf && { inkOf }) });
}

function middleText(texts: readonly string[], width: number, height: number): Line[] {
  const top = Math.max(0, Math.floor((height - texts.length) / 2));
  return Array.from({ length: height }, (_, at) => {
    const text = texts[at - top] ?? '';
    return fit(
      [span(' '.repeat(Math.max(0, Math.floor((width - widthOf(text)) / 2)))), span(text, { ink: 'dim' })],
      width,
    );
  });
}

function statusLine(state: State): Line {
  const { notice, search, columns, shown } = state;
  if (notice !== undefined)
    return shorten([span(` ${notice.text}`, { ink: notice.isError ? 'warning' : 'accent' })], columns);
  if (shown === undefined) return fit([], columns);
  const rows = diffRows(state);
  if (search !== '') {
    const matches = matchesOf(state, rows);
    const at = matches.findIndex((match) => match >= state.cursor);
    const where = `match ${at < 0 ? matches.length : at + 1} of ${matches.length}`;
    return shorten(
      [
        span(` /${search}`, { ink: 'accent' }),
        span(`  ${where}; n and p go to others, Esc ends the search`, { ink: 'dim' }),
      ],
      columns,
    );
  }
  const starts = changeStarts(rows, shown.diff);
  const isChange = shown.diff.blocks[rows[state.cursor]?.block ?? -1]?.kind !== 'same';
  const index = starts.findLastIndex((start) => start <= state.cursor);
  const none = starts.length === 0 ? 'No line differs.' : `${starts.length} changes`;
  const all = starts.length === 1 ? '1 change' : none;
  const dropped = shown.details.hunkList.filter(({ isKept }) => !isKept).length;
  const where = index < 0 || !isChange ? all : `change ${index + 1} of ${starts.length}`;
  const text = dropped === 0 ? where : `${where} · ${dropped} dropped`;
  return shorten([span(` ${text}`, { ink: 'dim' })], columns);
}

function footer(state: State): Line {
  const items = footerItems(state).flatMap(({ key, label }) => [
    span(` ${key} `, { paper: 'bar', isBold: true, ink: 'accent' }),
    span(`${label} `, bar),
  ]);
  return fit(items, state.columns, bar);
}

/** Puts a box over the middle of the screen. */
function withOverlay(lines: readonly Line[], overlay: Overlay, state: State): Line[] {
  const { columns, rows } = state;
  const width = Math.max(10, Math.min(columns - 4, overlay.kind === 'help' ? 72 : 84));
  const content = overlayLines(overlay, width - 4, Math.max(1, rows - 4), state);
  const edge = (left: string, right: string): Line => [
    span(`${left}${'─'.repeat(width - 2)}${right}`, { ink: 'accent' }),
  ];
  const side = span('│', { ink: 'accent' });
  const box = [
    edge('┌', '┐'),
    ...content.map((line) => [side, span(' '), ...fit(line, width - 4), span(' '), side]),
    edge('└', '┘'),
  ];
  const top = Math.max(0, Math.floor((rows - box.length) / 2));
  const left = Math.max(0, Math.floor((columns - width) / 2));
  return lines.map((line, at) => {
    const over = box[at - top];
    if (over === undefined) return line;
    return [...fit(line, left), ...over, ...fit([], Math.max(0, columns - left - width))];
  });
}

function overlayLines(overlay: Overlay, width: number, height: number, state: State): Line[] {
  switch (overlay.kind) {
    case 'help': {
      const head = [
        span('Keys', { isBold: true }),
        span('   j and k scroll, any other key closes this', { ink: 'dim' as const }),
      ];
      const keys = keyCommands.map(({ shown, label }) => [
        span(shown.padEnd(13), { ink: 'accent', isBold: true }),
        span(label),
      ]);
      return [head, ...keys.slice(overlay.top, overlay.top + height - 1)];
    }
    case 'choose': {
      const words = [overlay.message, ...overlay.detail.split('\n')].filter((text) => text !== '');
      const lines = words.flatMap((text, at) =>
        wrap(text, width).map((line) => [span(line, at === 0 ? { isBold: true } : {})]),
      );
      const options = overlay.options.map(({ label, isDangerous }, at) => {
        const isChosen = at === overlay.chosen;
        const style: Style = {
          isBold: isChosen,
          paper: isChosen ? 'selected' : undefined,
          ink: isDangerous ? 'warning' : undefined,
        };
        return fit([span(`${isChosen ? '▸' : ' '} ${at + 1}  ${label}`, style)], width, style);
      });
      const hint =
        overlay.options.length === 0 ? 'Esc closes this' : 'Enter or a number chooses, Esc cancels';
      const room = Math.max(1, height - options.length - 3);
      return [...lines.slice(0, room), [], ...options, [], [span(hint, { ink: 'dim' })]];
    }
    case 'type': {
      const shown = wrap(`${overlay.text}█`, width).slice(-Math.max(1, height - 3));
      const hint =
        overlay.purpose === 'search'
          ? 'Enter searches, Esc cancels'
          : 'Enter saves, Ctrl+O begins a line, Esc cancels';
      const problem = state.notice?.isError ? [[span(state.notice.text, { ink: 'warning' as const })]] : [];
      return [
        [span(overlay.title, { isBold: true })],
        ...shown.map((line) => [span(line)]),
        ...problem,
        [span(hint, { ink: 'dim' })],
      ];
    }
  }
}
