import { Button, Card, joinClasses, List } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { CircleCheck, CircleX, Info, RefreshCw, TriangleAlert } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { useShell } from '../app/shell.js';
import { useCommand } from '../client/pageContext.js';
import type { PageDiagnosis } from '../wire/index.js';
import styles from './agents.module.css';
import { CopyCommand } from './copyCommand.js';

type Group = PageDiagnosis['groups'][number];
type Finding = Group['findings'][number];

const signs = {
  error: { icon: CircleX, word: 'Error' },
  warning: { icon: TriangleAlert, word: 'Warning' },
  note: { icon: Info, word: 'Note' },
} as const;

/** The doctor's findings. It runs when this is shown, and again on request. */
export function DiagnosisView() {
  const { services, notices } = useShell();
  const command = useCommand();
  const [diagnosis, setDiagnosis] = useState<PageDiagnosis>();
  const [isRunning, setRunning] = useState(true);
  const run = useCallback(async (): Promise<void> => {
    setRunning(true);
    try {
      const found = await services.host.request('diagnose', {});
      setDiagnosis(found);
      notices.announce(conclusion(found));
    } catch (error) {
      notices.failure('The diagnosis failed', error);
    } finally {
      setRunning(false);
    }
  }, [services, notices]);
  useEffect(() => void run(), [run]);
  return (
    <div className={joinClasses('stack', styles.column)} aria-busy={isRunning}>
      <div className="line wraps">
        <strong className="grow">
          {isRunning ? 'Checking files, ports and programs…' : diagnosis && conclusion(diagnosis)}
        </strong>
        <Button icon={RefreshCw} onClick={() => void run()} isDisabled={isRunning}>
          Run again
        </Button>
      </div>
      {diagnosis?.groups.map((group) => (
        <GroupPart key={group.name} group={group} />
      ))}
      <p className="muted">
        These checks use the environment of the companion. If the terminal where you start an agent has other
        environment variables, run <code>{command} doctor</code> there, too.
      </p>
    </div>
  );
}

function GroupPart({ group }: { readonly group: Group }) {
  const { name, isLookedAt, state, findings } = group;
  const isGood = isLookedAt && findings.length === 0;
  return (
    <section className={joinClasses('stack', styles.group)} aria-label={visibleName(name)}>
      <h3>{visibleName(name)}</h3>
      {(state !== undefined || findings.length === 0) && (
        <p className="line muted" data-kind="good">
          {isGood && <CircleCheck size={16} className={styles.severity} aria-hidden="true" />}
          <span>{state === undefined ? 'No problems found.' : visibleName(state)}</span>
        </p>
      )}
      {findings.length > 0 && (
        <List>
          {findings.map((finding) => (
            <FindingPart key={`${finding.id} ${finding.cause}`} finding={finding} />
          ))}
        </List>
      )}
    </section>
  );
}

function FindingPart({ finding }: { readonly finding: Finding }) {
  const { severity, title, cause, consequence, fix } = finding;
  const { icon: Icon, word } = signs[severity];
  return (
    <Card as="li" kind={severity}>
      <h4 className="line">
        <span className={joinClasses('line', styles.severity)} data-kind={severity}>
          <Icon size={16} aria-hidden="true" />
          {word}
        </span>
        <span>{visibleName(title)}</span>
      </h4>
      <p>{visibleName(cause)}</p>
      <p>{visibleName(consequence)}</p>
      <p className="muted">{fix.place === 'agent' ? 'Type in the running agent:' : 'Type in a terminal:'}</p>
      <CopyCommand command={fix.command} />
    </Card>
  );
}

function conclusion({ groups }: PageDiagnosis): string {
  const findings = groups.flatMap((group) => group.findings);
  const parts = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}${count === 1 ? '' : 's'}`];
  });
  return parts.length === 0 ? 'No problems found.' : `Found: ${parts.join(', ')}.`;
}
