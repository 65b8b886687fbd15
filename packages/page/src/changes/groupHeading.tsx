import { Button, joinClasses, Spacer } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { presentTurn } from '@tandem/reviews';
import type { ChangeSelection } from '@tandem/rpc';
import { Check, Undo2 } from 'lucide-react';
import { usePageState } from '../client/pageContext.js';
import { AgentName } from '../review/reviewParts.js';
import type { PageChange } from '../wire/index.js';
import styles from './changes.module.css';
import type { Keep } from './keeping.js';

/** Files under one heading. */
export interface FileGroup
  extends Pick<PageChange, 'group' | 'isWaiting' | 'session' | 'agent' | 'turn' | 'isUncertain'> {
  readonly agentName: string;
  readonly files: readonly PageChange[];
  /** It is the first group of its session, or of the uncertain ones. */
  readonly isFirst: boolean;
}

/** Files that follow each other in one group. */
export function groupFiles(files: readonly PageChange[]): readonly FileGroup[] {
  const groups: (FileGroup & { readonly files: PageChange[] })[] = [];
  for (const file of files) {
    const last = groups.at(-1);
    if (last?.group === file.group && last.isWaiting === file.isWaiting) last.files.push(file);
    else {
      const { group, isWaiting, session, agent, agentName, turn, isUncertain } = file;
      const isFirst =
        last?.isWaiting !== isWaiting ||
        last.isUncertain !== isUncertain ||
        (!isUncertain && last.session !== session);
      groups.push({
        group,
        isWaiting,
        session,
        agent,
        agentName,
        isUncertain,
        ...(turn && { turn }),
        files: [file],
        isFirst,
      });
    }
  }
  return groups;
}

interface GroupHeadingProps {
  readonly group: FileGroup;
  /** Selects its changes, with its session or its turn. */
  readonly waits: boolean | undefined;
  readonly onUndo: (selection: ChangeSelection) => unknown;
  readonly onKeep: Keep;
}

/** The session, if the group is its first, and the turn. */
export function GroupHeading({ group, waits, onUndo, onKeep }: GroupHeadingProps) {
  const { isWaiting, session, agent, agentName, turn, isUncertain, isFirst, files } = group;
  const label = usePageState(({ sessions }) => sessions.find(({ id }) => id === session)?.label);
  const title = turn && visibleName(presentTurn(turn));
  const stands = files.some(({ isAbsent }) => !isAbsent);
  return (
    <>
      {isFirst && isUncertain && (
        <header className={styles.session}>
          <h3>Perhaps not by an agent</h3>
          <p className="muted small">
            These files changed during a turn, but not while a command of the agent ran. They are only kept or
            undone one by one.
          </p>
        </header>
      )}
      {isFirst && !isUncertain && (
        <header className={joinClasses('line wraps', styles.session)}>
          <h3 className="line">
            <AgentName agent={agent} name={agentName} />
            {label !== undefined && <span className="muted">{visibleName(label)}</span>}
          </h3>
          <Spacer />
          {isWaiting && (
            <Button
              icon={Check}
              kind="quiet"
              label={`Keep session of ${visibleName(agentName)}`}
              onClick={() => void onKeep({ session, waits })}
            >
              Keep session
            </Button>
          )}
          <Button
            icon={Undo2}
            kind="quiet"
            label={`Undo session… of ${visibleName(agentName)}`}
            onClick={() => onUndo({ session, waits })}
          >
            Undo session…
          </Button>
        </header>
      )}
      {title !== undefined && (
        <header className={joinClasses('line wraps', styles.turn)}>
          <h4 className={styles.prompt}>
            {isUncertain && `${visibleName(agentName)}, `}
            {title}
          </h4>
          {!isUncertain && stands && (
            <>
              <Spacer />
              {isWaiting && (
                <Button
                  icon={Check}
                  kind="quiet"
                  label={`Keep turn ${turn?.number}`}
                  onClick={() => void onKeep({ session, turn: turn?.number, waits })}
                >
                  Keep turn
                </Button>
              )}
              <Button
                icon={Undo2}
                kind="quiet"
                label={`Undo turn… ${turn?.number}`}
                onClick={() => onUndo({ session, turn: turn?.number, waits })}
              >
                Undo turn…
              </Button>
            </>
          )}
        </header>
      )}
    </>
  );
}
