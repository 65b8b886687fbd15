import { visibleName } from '@tandem/core';
import { CircleCheck, CircleX, Info, RefreshCw, TriangleAlert } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { useShell } from '../app/shellContext.js';
import { useCommand } from '../client/pageContext.js';
import { Button } from '../primitives/button.js';
import type { PageDiagnosis } from '../wire/index.js';
import { CopyCommand } from './copyCommand.js';
import styles from './diagnosisView.module.css';

type Group = PageDiagnosis['groups'][number];
type Finding = Group['findings'][number];

const signs = {
  error: { icon: CircleX, word: 'Error' },
  warning: { icon: TriangleAlert, word: 'Warning' },
  note: { icon: Info, word: 'Note' },
} as const;

/** What the doctor finds, looked for when this is shown and whenever the person asks. */
export function DiagnosisView() {
  const { services, notices } = useShell();
  const command = useCommand();
  const [diagnosis, setDiagnosis] = useState<PageDiagnosis>();
  const [isLooking, setLooking] = useState(true);
  const look = useCallback(async (): Promise<void> => {
    setLooking(true);
    try {
      const found = await services.host.request('diagnose', {});
      setDiagnosis(found);
      notices.say(conclusion(found));
    } catch (error) {
      notices.failure('The diagnosis failed', error);
    } finally {
      setLooking(false);
    }
  }, [services, notices]);
  useEffect(() => void look(), [look]);
  return (
    <div className={styles.diagnosis} aria-busy={isLooking}>
      <div className={styles.bar}>
        <p className={styles.conclusion}>
          {isLooking ? 'Checking files, ports and programs…' : diagnosis && conclusion(diagnosis)}
        </p>
        <Button onClick={() => void look()} isDisabled={isLooking}>
          <RefreshCw size={14} aria-hidden="true" /> Run again
        </Button>
      </div>
      {diagnosis?.groups.map((group) => (
        <GroupPart key={group.name} group={group} />
      ))}
      <p className={styles.hint}>
        This is what the companion's own environment shows. In the terminal where you start an agent, run{' '}
        <code>{command} doctor</code>: its variables may differ.
      </p>
    </div>
  );
}

function GroupPart({ group }: { readonly group: Group }) {
  const { name, isLookedAt, state, findings } = group;
  return (
    <section className={styles.group} aria-label={visibleName(name)}>
      <h3 className={styles.name}>{visibleName(name)}</h3>
      {(state !== undefined || findings.length === 0) && (
        <p className={styles.state}>
          {isLookedAt && findings.length === 0 && <CircleCheck size={16} aria-hidden="true" />}
          <span>{state === undefined ? 'No problems found.' : visibleName(state)}</span>
        </p>
      )}
      {findings.length > 0 && (
        <ul className={styles.findings}>
          {findings.map((finding) => (
            <FindingPart key={`${finding.id} ${finding.cause}`} finding={finding} />
          ))}
        </ul>
      )}
    </section>
  );
}

function FindingPart({ finding }: { readonly finding: Finding }) {
  const { severity, title, cause, consequence, fix } = finding;
  const { icon: Icon, word } = signs[severity];
  return (
    <li className={styles.finding} data-severity={severity}>
      <h4 className={styles.title}>
        <Icon size={16} aria-hidden="true" />
        <span className={styles.word}>{word}</span>
        <span>{visibleName(title)}</span>
      </h4>
      <p>{visibleName(cause)}</p>
      <p>{visibleName(consequence)}</p>
      <p className={styles.where}>
        {fix.place === 'agent' ? 'Type in the running agent:' : 'Type in a terminal:'}
      </p>
      <CopyCommand command={fix.command} />
    </li>
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
