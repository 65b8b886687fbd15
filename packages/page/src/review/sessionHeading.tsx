import { concernKinds, describeObstacle, findConfirmable, visibleName } from '@tandem/core';
import type { SessionDecision, SessionOutcome } from '@tandem/rpc';
import { ChevronRight, Eye, Files } from 'lucide-react';
import { useState } from 'react';
import { useShell } from '../app/shell.js';
import { messageOf } from '../client/loading.js';
import { usePageState } from '../client/pageContext.js';
import { reviewTextId } from '../client/textSessions.js';
import { Button, Count, Dialog, IconButton, joinClasses, RowButton, Spacer } from '../primitives/index.js';
import styles from './review.module.css';
import { AgentName } from './reviewParts.js';
import { countOf } from './reviewWords.js';
import { type SessionGroup, sessionViews, toggleSession } from './sessionGroups.js';

interface SessionHeadingProps {
  readonly group: SessionGroup;
  readonly isExpanded: boolean;
  readonly isTabStop: boolean;
}

/** The agent, the first file and the number of pending reviews of a session, and what applies to all of them. */
export function SessionHeading({ group, isExpanded, isTabStop }: SessionHeadingProps) {
  const shell = useShell();
  const { services, notices, tabs } = shell;
  const { host, store, texts } = services;
  const { id, agent, agentName, pending } = group;
  const changed = usePageState(({ sessions }) => sessions.find((session) => session.id === id)?.files ?? 0);
  const label = visibleName(group.label);
  const isFollowed = sessionViews(({ followed }) => followed.has(id));
  const [question, setQuestion] = useState<SessionQuestion>();
  const [isBusy, setBusy] = useState(false);

  const attempt = async (what: string, run: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await run();
    } catch (error) {
      notices.error(`${what}: ${messageOf(error)}`);
    } finally {
      setBusy(false);
    }
  };
  const ask = (decision: SessionQuestion['decision']) => (): void => {
    void attempt('The reviews of this session cannot be decided', async () => {
      // What was typed last belongs to what is decided.
      for (const review of pending) await texts.get(reviewTextId(review.id))?.settle();
      setQuestion({ decision, preview: await host.request('session.preview', { session: id }) });
    });
  };
  const decide = ({ decision, preview }: SessionQuestion, confirmed: readonly string[]): void => {
    setQuestion(undefined);
    void attempt('The reviews of this session were not decided', async () => {
      const active = pending.find((review) => review.id === tabs.active?.id);
      if (active !== undefined) store.setState({ decidedHere: active.id });
      const params = { session: id, seen: preview.map(({ id, seen }) => ({ id, seen })) };
      const outcome =
        decision === 'accept'
          ? await host.request('session.acceptAll', { ...params, confirmed: [...confirmed] })
          : await host.request('session.rejectAll', { ...params, rejectsEdited: true });
      notices.info(describeDecided(decision, outcome, labelOf));
    });
  };
  const labelOf = (path: string): string =>
    visibleName(store.getState().reviews.find((review) => review.path === path)?.label ?? path);

  return (
    <div className={styles.session}>
      <h3>
        <RowButton
          data-row
          className={styles.sessionName}
          tabIndex={isTabStop ? 0 : -1}
          aria-expanded={isExpanded}
          aria-controls={`session-${id}`}
          onClick={() => toggleSession('collapsed', id)}
          title={label}
        >
          <ChevronRight size={14} className="chevron" aria-hidden="true" />
          <AgentName agent={agent} name={agentName} />
          <span className={joinClasses(styles.folder, 'truncate muted')}>{label}</span>
          <Count count={pending.length} what="pending" />
        </RowButton>
      </h3>
      {isExpanded && (
        <div className={joinClasses('line', styles.sessionTools)}>
          <IconButton
            icon={Eye}
            isPressed={isFollowed}
            label="Follow this session: open each new proposal when it arrives, unless you are typing"
            text="Follow"
            onClick={() => toggleSession('followed', id)}
          />
          {changed > 0 && (
            <IconButton
              icon={Files}
              label={`Session changes: ${countOf(changed, 'file')}`}
              onClick={() => shell.showChanges(id)}
            />
          )}
          <Spacer />
          {pending.length > 1 && (
            <>
              <Button kind="quiet" isDisabled={isBusy} onClick={ask('reject')}>
                Reject all
              </Button>
              <Button kind="quiet" isDisabled={isBusy} onClick={ask('accept')}>
                Accept all
              </Button>
            </>
          )}
        </div>
      )}
      {question !== undefined && (
        <DecideSession
          question={question}
          agentName={visibleName(agentName)}
          labelOf={labelOf}
          onConfirm={(confirmed) => decide(question, confirmed)}
          onCancel={() => setQuestion(undefined)}
        />
      )}
    </div>
  );
}

/** Whether to accept or reject all, and what that would do. */
export interface SessionQuestion {
  readonly decision: 'accept' | 'reject';
  readonly preview: readonly SessionDecision[];
}

interface DecideSessionProps {
  readonly question: SessionQuestion;
  readonly agentName: string;
  readonly labelOf: (path: string) => string;
  /** `confirmed`: the kinds of concerns that the user confirmed. */
  readonly onConfirm: (confirmed: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** Asks once before all pending reviews of a session are decided. Names edited texts, and why others stay pending. */
function DecideSession({ question, agentName, labelOf, onConfirm, onCancel }: DecideSessionProps) {
  const { decision, preview } = question;
  const staying = decision === 'accept' ? preview.filter(({ obstacle }) => obstacle !== undefined) : [];
  const decided = preview.filter((each) => !staying.includes(each));
  const edited = decided.filter(({ isEdited }) => isEdited);
  const dangerous = decision === 'accept' ? findConfirmable(preview) : { reviews: [], kinds: [] };
  const blocked = staying.filter((each) => !dangerous.reviews.includes(each));
  const verb = decision === 'accept' ? 'Accept' : 'Reject';
  const proposals = countOf(decided.length, 'proposal');
  return (
    <Dialog
      title={
        decided.length > 0
          ? `${verb} ${proposals} by ${agentName}?`
          : dangerous.reviews.length > 0
            ? 'Each of these proposals needs your confirmation'
            : 'No proposal can be accepted now'
      }
      size="small"
      onClose={onCancel}
      actions={
        <>
          <Button isFirst onClick={onCancel}>
            {decided.length === 0 ? 'Close' : 'Cancel'}
          </Button>
          {decided.length > 0 && (
            <Button kind={decision === 'accept' ? 'primary' : 'danger'} onClick={() => onConfirm([])}>
              {`${verb} ${proposals}`}
            </Button>
          )}
          {dangerous.reviews.length > 0 && (
            <Button kind="danger" onClick={() => onConfirm(dangerous.kinds)}>
              {decided.length > 0
                ? `Accept ${decided.length + dangerous.reviews.length}, including these`
                : 'Accept anyway'}
            </Button>
          )}
        </>
      }
    >
      {edited.length > 0 && (
        <>
          <p>
            {decision === 'accept'
              ? 'These are accepted with your edits:'
              : 'You edited these. Your edits are rejected too. You can still read them under Decided:'}
          </p>
          <ul className={styles.named}>
            {edited.map(({ id, path }) => (
              <li key={id}>{labelOf(path)}</li>
            ))}
          </ul>
        </>
      )}
      {dangerous.reviews.length > 0 && (
        <>
          <p>
            {decided.length > 0
              ? 'These stay pending unless you include them:'
              : 'Read this before you accept:'}
          </p>
          <ul className={styles.named}>
            {dangerous.reviews.map(({ id, path, concerns }) => (
              <li key={id}>{`${labelOf(path)}: ${concerns.map(({ text }) => text).join(' ')}`}</li>
            ))}
          </ul>
        </>
      )}
      {blocked.length > 0 && (
        <>
          <p>These stay pending:</p>
          <ul className={styles.named}>
            {blocked.map((each) => (
              <li key={each.id}>{`${labelOf(each.path)}: ${reasonsOf(each).join('; ')}`}</li>
            ))}
          </ul>
        </>
      )}
      {edited.length === 0 && staying.length === 0 && (
        <p>{decision === 'accept' ? 'None of them is edited or in conflict.' : 'None of them is edited.'}</p>
      )}
    </Dialog>
  );
}

/** Why a review stays pending, in words. */
function reasonsOf({ obstacle, concerns }: SessionDecision): string[] {
  if (obstacle === undefined) return [];
  const kinds = concernKinds.filter((known) => concerns.some(({ kind }) => kind === known));
  return (kinds.some((kind) => kind === obstacle) ? kinds : [obstacle]).map(describeObstacle);
}

/** What was decided, and why the others stay pending. */
function describeDecided(
  decision: SessionQuestion['decision'],
  { decided, pending }: SessionOutcome,
  labelOf: (path: string) => string,
): string {
  const done = `${decision === 'accept' ? 'Accepted' : 'Rejected'} ${countOf(decided.length, 'proposal')}.`;
  if (pending.length === 0) return done;
  const first = pending
    .slice(0, 3)
    .map(({ path, obstacle }) => `${labelOf(path)}: ${describeObstacle(obstacle)}`);
  const more = pending.length > first.length ? [`${pending.length - first.length} more`] : [];
  return `${done} Still pending: ${[...first, ...more].join('; ')}.`;
}
