import { nameOfAgent } from '@tandem/companion/agents';
import type { FoundCompanion } from '@tandem/companion/control';
import { shorten, visibleName } from '@tandem/core';
import type { ReviewFacts, ReviewSummary, SessionSummary } from '@tandem/rpc';
import { askFirst } from '../askFirst.js';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { commandName, paint, printAnswer } from '../output.js';
import { cap, interruptedLines, maxTitle, reviewLines, shortPath, shownInTerminal } from '../reviewText.js';

/** `tandem review accept|reject --session ID`: decides all pending reviews of a session, after one question. */
export async function decideSession(
  decision: 'accept' | 'reject',
  session: string,
  options: CompanionChoice & { readonly json?: boolean; readonly yes?: boolean | string },
): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const outcome = await askFirst(
    (answer) => ask(companion, 'session.decide', { session, decision, ...answer }),
    {
      yes: options.yes,
      agreed: { rejectsEdited: true },
      command: `review ${decision} --session ${session}`,
      ifNot: 'The reviews are still pending.',
    },
  );
  if (outcome.decided.length === 0) throw new CommandError(outcome.note, exitCode.noSuchReview);
  printAnswer(outcome, options, ({ note }) => note);
}

/** Pending reviews below the headings of their sessions, then interrupted ones, then those that ended. A terminal shows `isAll` of them. */
export async function listBySession(
  companion: FoundCompanion,
  reviews: readonly ReviewSummary[],
  { isAll = false }: { readonly isAll?: boolean | undefined } = {},
): Promise<string[]> {
  const cwd = process.cwd();
  const pending = reviews.filter(({ state }) => state === 'pending');
  const interrupted = reviews.filter(({ group }) => group !== undefined);
  const ended = reviews.filter((review) => !pending.includes(review) && !interrupted.includes(review));
  const { shown, more } = cap(pending, isAll ? pending.length : shownInTerminal.pending);
  const lines = await belowSessions(companion, [...shown, ...ended]);
  const rest = more.map((line) => `${line}: ${commandName} review list --all`);
  return [...lines, ...rest, ...interruptedLines(interrupted, cwd, { isAll })];
}

async function belowSessions(
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
  const pending = session?.pending.length ?? 0;
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
