import { visibleName } from '@tandem/core';
import { Unplug, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { CopyCommand } from '../agents/copyCommand.js';
import { lostWords } from '../agents/lostWords.js';
import { usePageState } from '../client/pageContext.js';
import type { PageAgent } from '../wire/index.js';
import { Bar } from './bar.js';
import { IconButton } from './iconButton.js';
import styles from './lostAgentBars.module.css';
import { useShell } from './shellContext.js';

/**
 * One bar for each kind of agent that a restart of the companion has cut off, with what a person types in it. It goes
 * when the last of its kind is back, and when it is dismissed: until the next restart, then.
 */
export function LostAgentBars() {
  const agents = usePageState((state) => state.agents);
  const instance = usePageState((state) => state.host?.instance ?? '');
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const keyOf = (agent: PageAgent): string => `${instance} ${agent.id}`;
  return agents
    .filter((agent) => !dismissed.has(keyOf(agent)))
    .map((agent) => (
      <LostAgentBar
        key={keyOf(agent)}
        agent={agent}
        onDismiss={() => setDismissed((keys) => new Set([...keys, keyOf(agent)]))}
      />
    ));
}

interface LostAgentBarProps {
  readonly agent: PageAgent;
  readonly onDismiss: () => void;
}

function LostAgentBar({ agent: { displayName, lost }, onDismiss }: LostAgentBarProps) {
  const { notices } = useShell();
  const name = visibleName(displayName);
  const words = lost && lostWords(name, lost.count);
  const connect = lost?.connect;
  useEffect(() => {
    if (words !== undefined) notices.say(`${words} ${connect}`);
  }, [words, connect, notices]);
  if (words === undefined || connect === undefined) return null;
  return (
    <Bar kind="warning" label={`${name} is missing`} icon={<Unplug size={16} aria-hidden="true" />}>
      <p className={styles.text}>{words}</p>
      <div className={styles.word}>
        <CopyCommand command={connect} />
      </div>
      <IconButton icon={X} label={`Dismiss: ${name} is missing`} onClick={onDismiss} />
    </Bar>
  );
}
