import { nameOfAgent } from '@tandem/companion/agents';
import type { FoundCompanion } from '@tandem/companion/control';
import { describeObstacle, findConfirmable, shorten, visibleName } from '@tandem/core';
import type {
  ReviewFacts,
  ReviewSummary,
  SessionDecision,
  SessionObstacle,
  SessionSummary,
} from '@tandem/rpc';
import { confirmedBy } from '../askFirst.js';
import { confirm } from '../confirm.js';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { commandName, paint, printAnswer } from '../output.js';
import { maxTitle, reviewLines, shortPath } from '../reviewText.js';

/** `tandem review accept|reject --session ID`: decides all pending reviews of a session, after one question. */
export async function decideSession(
  decision: 'accept' | 'reject',
  beginning: string,
  options: CompanionChoice & { readonly json?: boolean; readonly yes?: boolean | string },
): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const confirmed = confirmedBy(options.yes);
  const preview = (await ask(companion, 'session.preview', { session: beginning })).map((each) =>
    withConfirmed(each, confirmed),
  );
  const wanted = preview.filter(({ obstacle }) => decision === 'reject' || obstacle === undefined);
  if (wanted.length === 0) {
    const none =
      preview.length === 0
        ? 'No pending reviews in this session.'
        : 'No pending review in this session can be accepted:';
    throw new CommandError(
      [none, ...stayingLines(preview), ...confirmingLine(beginning, preview)].join('\n'),
      exitCode.noSuchReview,
    );
  }
  if (!options.yes) await confirmAll(decision, beginning, preview, wanted);
  const params = { session: beginning, seen: wanted.map(({ id, seen }) => ({ id, seen })) };
  const outcome =
    decision === 'accept'
      ? await ask(companion, 'session.acceptAll', { ...params, confirmed })
      : await ask(companion, 'session.rejectAll', { ...params, rejectsEdited: true });
  printAnswer(outcome, options, ({ decided, pending }) => {
    const count = `${decision}ed: ${decided.length} of ${decided.length + pending.length}`;
    return [`${count.charAt(0).toUpperCase()}${count.slice(1)}`, ...stayingLines(pending)].join('\n');
  });
}

/** Names what is decided, what is edited, and what stays pending. Throws `CommandError` unless the user agrees. */
async function confirmAll(
  decision: 'accept' | 'reject',
  session: string,
  preview: readonly SessionDecision[],
  wanted: readonly SessionDecision[],
): Promise<void> {
  const lines = wanted.map(({ id, path, isEdited }) => {
    const edits = decision === 'accept' ? ', with your edits' : ', including your edits';
    return `${placeLine(id, path)}${isEdited ? edits : ''}`;
  });
  const staying =
    decision === 'accept' ? [...stayingLines(preview), ...confirmingLine(session, preview)] : [];
  const verb = decision === 'accept' ? 'Accept' : 'Reject';
  const question = [`${verb} ${countOf(wanted.length)}:`, ...lines, ...staying].join('\n');
  if (!process.stdin.isTTY) {
    const command = `${commandName} review ${decision} --session ${session} --yes`;
    throw new CommandError(`${question}\nTo ${decision} without a question: ${command}`);
  }
  if (!(await confirm(`${question}\n${verb}?`))) throw new CommandError('The reviews are still pending.');
}

/** What would stop a review if these kinds of concerns are confirmed. */
function withConfirmed(review: SessionDecision, confirmed: readonly string[]): SessionDecision {
  const { obstacle, concerns } = review;
  const isConfirmed = concerns.every(({ kind }) => confirmed.includes(kind));
  const isConcern = concerns.some(({ kind }) => kind === obstacle);
  return isConcern && isConfirmed ? { ...review, obstacle: undefined } : review;
}

/** How the reviews are accepted that stay pending because of a concern. */
function confirmingLine(session: string, preview: readonly SessionDecision[]): string[] {
  const { kinds } = findConfirmable(preview);
  if (kinds.length === 0) return [];
  return [`To accept them, too: ${commandName} review accept --session ${session} --yes ${kinds.join(',')}`];
}

function stayingLines(
  reviews: readonly {
    readonly id: string;
    readonly path: string;
    readonly obstacle?: SessionObstacle | undefined;
  }[],
): string[] {
  return reviews.flatMap(({ id, path, obstacle }) =>
    obstacle === undefined ? [] : [`${placeLine(id, path)} stays pending: ${describeObstacle(obstacle)}`],
  );
}

function placeLine(id: string, path: string): string {
  return `${id.padStart(3)}  ${shortPath(path, process.cwd())}`;
}

function countOf(reviews: number): string {
  return reviews === 1 ? 'one review' : `${reviews} reviews`;
}

/** Reviews below the headings of their sessions, in the order of the list. */
export async function listBySession(
  companion: FoundCompanion,
  reviews: readonly ReviewSummary[],
): Promise<string[]> {
  const sessions = await ask(companion, 'session.list', {});
  return [...new Set(reviews.map(({ session }) => session))].flatMap((id) => {
    const own = reviews.filter(({ session }) => session === id);
    const heading = headingOf(
      own,
      sessions.find((session) => session.id === id),
    );
    return [heading, ...own.flatMap((review) => reviewLines(review, process.cwd()))];
  });
}

/** The agent, the title or the first file, the number of pending reviews, and the id for `--session`. */
function headingOf(own: readonly ReviewSummary[], session: SessionSummary | undefined): string {
  const [first] = own;
  const name = session?.agentName ?? nameOfAgent(first?.agent ?? '');
  const pending = own.filter(({ state }) => state === 'pending').length;
  const parts = [
    paint('bold', name),
    session?.title === undefined
      ? shortPath(session?.firstPath ?? first?.path ?? '', process.cwd())
      : shorten(visibleName(session.title), maxTitle),
    ...(pending > 0 ? [`${pending} pending`] : []),
    `session ${(first?.session ?? '').slice(0, 8)}`,
  ];
  return parts.join(' · ');
}

/** Where a pending review is among those of its session, or after a decision which one is next. Empty if it is the only one. */
export async function placeInSession(
  companion: FoundCompanion,
  { id, session }: ReviewFacts,
): Promise<string[]> {
  const listed = await ask(companion, 'session.list', {});
  const { pending = [] } = listed.find((each) => each.id === session) ?? {};
  const at = pending.indexOf(id);
  const next = pending.find((each) => Number(each) > Number(id)) ?? pending.find((each) => each !== id);
  if (next === undefined) return [];
  const where =
    at < 0
      ? `${pending.length} pending in this session.`
      : `Review ${at + 1} of ${pending.length} in this session.`;
  return [`${where} Next: ${commandName} review show ${next}`];
}
