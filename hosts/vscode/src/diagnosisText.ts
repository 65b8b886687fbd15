import type { AgentReport, DoctorReport, Finding, WindowCure } from '@tandem/companion/doctor';
import { visibleName } from '@tandem/core';
import * as vscode from 'vscode';

/** The findings of the doctor as text, to be sent to others. */
export function diagnosisText(report: DoctorReport, cureOf: (finding: Finding) => WindowCure): string {
  const { findings, agents, folder, removed = [] } = report;
  const nameOf = (id: string | undefined): string => agents.find((each) => each.id === id)?.displayName ?? '';
  const lines = [
    vscode.l10n.t('Tandem: Diagnosis'),
    folder,
    conclusion(report),
    ...removed.map(({ file, reason }) => vscode.l10n.t('Removed {0}: {1}', file, reason)),
    ...agents.map((agent) => `${agent.displayName}: ${stateText(agent)}`),
    ...findings.flatMap((finding) => {
      const { severity, agent, cause, consequence } = finding;
      const cure = cureOf(finding);
      return [
        '',
        `${severityWord(severity)}: ${titleOf(finding, nameOf(agent))}`,
        cause,
        consequence,
        ...(cure.kind === 'type' ? [typeWords(cure), `    ${cure.command}`] : []),
      ];
    }),
  ];
  return `${lines.map(visibleName).join('\n')}\n`;
}

/**
 * The title of a finding in the language of the user, if it contains no more than the name of an agent; otherwise the
 * doctor's own, in English like cause and consequence.
 */
export function titleOf({ id, title }: Finding, agent: string): string {
  const { t } = vscode.l10n;
  switch (id) {
    case 'ide-mode-off':
      return t('The IDE mode of {0} is off', agent);
    case 'refused-settings':
      return t('A settings file of {0} is not read', agent);
    case 'no-diffs':
      return t('{0} opens no diffs in its current mode', agent);
    case 'dev-container':
      return t('{0} looks for the companion outside this container', agent);
    case 'by-hand':
      return t('{0} must be connected by hand in this terminal', agent);
    case 'gate':
      return t('{0} does not look for an IDE in this terminal', agent);
    case 'not-served':
      return t('The companion here does not serve {0}', agent);
    case 'not-written':
      return t('The companion could not write its file for {0}', agent);
    case 'file-gone':
      return t("The companion's discovery file for {0} is missing", agent);
    case 'elsewhere':
      return t('{0} looks in a different folder than the companion writes to', agent);
    case 'sharing-paused':
      return t('Sharing is paused');
    case 'wrong-folder':
      return t('No companion serves this folder');
    case 'no-companion':
      return t('No companion is running');
    case 'proxy':
      return t('A proxy may intercept connections to the companion');
    case 'broken-file':
      return t('A discovery file cannot be understood');
    case 'open-file':
      return t('Other users can read a token');
    case 'open-folder':
      return t('Other users can write to a discovery folder');
    case 'linked-folder':
      return t('A discovery folder is a link');
    case 'foreign-folder':
      return t("A discovery folder is another user's");
    default:
      return title;
  }
}

/** The result in one line. */
export function conclusion({ findings }: DoctorReport): string {
  const { t } = vscode.l10n;
  if (findings.length === 0) return t('No problems found.');
  const count = (severity: Finding['severity']): number =>
    findings.filter((each) => each.severity === severity).length;
  return t('Errors: {0}. Warnings: {1}. Notes: {2}.', count('error'), count('warning'), count('note'));
}

/** The state of an agent in one line. */
export function stateText({ isUsed, program, connection }: AgentReport): string {
  const { t } = vscode.l10n;
  if (!isUsed) return t('Not found on the PATH.');
  const version = program?.version === undefined ? '' : `${t('Version {0}.', program.version)} `;
  const { kind, ideName = '' } = connection;
  if (kind === 'ambiguous') return `${version}${t('It finds several companions.')}`;
  if (kind === 'nothing') return `${version}${t('It finds no companion.')}`;
  return `${version}${t('It finds {0}.', ideName)}`;
}

export function severityWord(severity: Finding['severity']): string {
  const { t } = vscode.l10n;
  return { error: t('Error'), warning: t('Warning'), note: t('Note') }[severity];
}

/** Where to type the command of a cure. */
export function typeWords({ place }: Extract<WindowCure, { kind: 'type' }>): string {
  const { t } = vscode.l10n;
  return place === 'agent' ? t('Type in the running agent:') : t('Type in a terminal:');
}
