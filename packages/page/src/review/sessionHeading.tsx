import { visibleName } from '@tandem/core';
import { ChevronRight, Eye, Files } from 'lucide-react';
import { useState } from 'react';
import { useShell } from '../app/shellContext.js';
import { messageOf } from '../client/loading.js';
import { usePageState } from '../client/pageContext.js';
import { reviewTextId } from '../client/textSessions.js';
import { Button, Count, IconButton, joinClasses, RowButton, Spacer } from '../primitives/index.js';
import { DecideSession, describeDecided, type SessionQuestion } from './decideSession.js';
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
  const decide = ({ decision, preview }: SessionQuestion): void => {
    setQuestion(undefined);
    void attempt('The reviews of this session were not decided', async () => {
      const active = pending.find((review) => review.id === tabs.active?.id);
      if (active !== undefined) store.setState({ decidedHere: active.id });
      const params = { session: id, seen: preview.map(({ id, seen }) => ({ id, seen })) };
      const outcome =
        decision === 'accept'
          ? await host.request('session.acceptAll', params)
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
                Reject All
              </Button>
              <Button kind="quiet" isDisabled={isBusy} onClick={ask('accept')}>
                Accept All
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
          onConfirm={() => decide(question)}
          onCancel={() => setQuestion(undefined)}
        />
      )}
    </div>
  );
}
