import { nameOfAgent } from '@tandem/companion/agents';
import type { FoundCompanion } from '@tandem/companion/control';
import { shorten, visibleName } from '@tandem/core';
import type { ReviewFacts, ReviewSummary, SessionSummary } from '@tandem/rpc';
import { askFirst } from '../askFirst.js';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { commandName, paint, printAnswer } from '../output.js';
import { maxTitle, reviewLines, shortPath } from '../reviewText.js';

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
