import {
  Button,
  Count,
  countOf,
  IconButton,
  joinClasses,
  RowButton,
  Spacer,
} from '@tandem/chat-panel/primitives';
import { messageOf, visibleName } from '@tandem/core';
import { ChevronRight, Eye, Files } from 'lucide-react';
import { useState } from 'react';
import { noticeMs } from '../app/reviewArrivals.js';
import { useShell } from '../app/shell.js';
import { usePageState } from '../client/pageContext.js';
import { reviewTextId } from '../client/textSessions.js';
import { askAsNeeded } from './askAsNeeded.js';
import styles from './queue.module.css';
import { AgentName } from './reviewParts.js';
import { type SessionGroup, sessionViews, toggleSession } from './sessionGroups.js';
import { decidedKey, undoAccepted } from './undoDecision.js';
import { sendDrafts } from './useComments.js';

interface SessionHeadingProps {
  readonly group: SessionGroup;
  readonly isExpanded: boolean;
  readonly isTabStop: boolean;
  /** A filter hides some of its reviews: nothing is decided for all of them. */
  readonly isFiltered: boolean;
}

/** The agent, its title and the number of pending reviews of a session, and what applies to all of them. */
export function SessionHeading({ group, isExpanded, isTabStop, isFiltered }: SessionHeadingProps) {
  const shell = useShell();
  const { services, notices, tabs } = shell;
  const { host, store, texts } = services;
  const { id, agent, agentName, pending } = group;
  const changed = usePageState(({ sessions }) => sessions.find((session) => session.id === id)?.files ?? 0);
  const title = visibleName(group.title);
  const isFollowed = sessionViews(({ followed }) => followed.has(id));
  const [isBusy, setBusy] = useState(false);

  const decide = async (decision: 'accept' | 'reject'): Promise<void> => {
    setBusy(true);
    try {
      // What was typed last belongs to what is decided.
      for (const review of pending) {
        await texts.get(reviewTextId(review.id))?.settle();
        await sendDrafts(host, review);
      }
      const active = pending.find((review) => review.id === tabs.active?.id);
      const decided = await askAsNeeded(shell, (answer) => {
        if (active !== undefined) store.setState({ decidedHere: { id: active.id, isOneOfSeveral: true } });
        return host.request('session.decide', { session: id, decision, ...answer });
      });
      if (decided !== undefined) {
        const ids = decision === 'accept' ? decided.decided.map((review) => review.id) : [];
        notices.show({
          key: decidedKey,
          kind: 'info',
          text: decided.note,
          staysMs: noticeMs,
          ...(ids.length > 0 && { action: undoAccepted(shell, ids) }),
        });
      }
    } catch (error) {
      notices.error(`The reviews of this session were not decided: ${messageOf(error)}`);
    } finally {
      setBusy(false);
    }
  };

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
          title={title === '' ? undefined : title}
        >
          <ChevronRight size={14} className="chevron" aria-hidden="true" />
          <AgentName agent={agent} name={agentName} />
          <span className={joinClasses(styles.folder, 'truncate muted')}>{title}</span>
          <Count count={pending.length} what="pending" />
        </RowButton>
      </h3>
      {isExpanded && (
        <div className={joinClasses('line wraps', styles.sessionTools)}>
          <IconButton
            icon={Eye}
            isPressed={isFollowed}
            label="Follow this session: open each new proposal when it arrives, unless you are typing"
            onClick={() => toggleSession('followed', id)}
          />
          {changed > 0 && (
            <IconButton
              icon={Files}
              label={`Changes: ${countOf(changed, 'file')}`}
              onClick={() => shell.showChanges(id)}
            />
          )}
          <Spacer />
          {pending.length > 1 && !isFiltered && (
            <>
              <Button kind="quiet" isDisabled={isBusy} onClick={() => void decide('reject')}>
                Reject all
              </Button>
              <Button kind="quiet" isDisabled={isBusy} onClick={() => void decide('accept')}>
                Accept all
              </Button>
            </>
          )}
        </div>
      )}
    </div>
  );
}
