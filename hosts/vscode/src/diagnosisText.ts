import type { AgentReport, DoctorReport, Finding, WindowCure } from '@tandem/companion/doctor';
import { visibleName } from '@tandem/core';
import * as vscode from 'vscode';

/** The findings of the doctor as text, to be sent to others. */
export function diagnosisText(report: DoctorReport, cureOf: (finding: Finding) => WindowCure): string {
  const { findings, agents, folder, removed = [] } = report;
  const lines = [
    vscode.l10n.t('Tandem: Diagnosis'),
    folder,
    conclusion(report),
    ...removed.map(({ file, reason }) => vscode.l10n.t('Removed {0}: {1}', file, reason)),
    ...agents.map((agent) => `${agent.displayName}: ${stateText(agent)}`),
    ...findings.flatMap((finding) => {
      const { severity, title, cause, consequence } = finding;
      const cure = cureOf(finding);
      return [
        '',
        `${severityWord(severity)}: ${title}`,
        cause,
        consequence,
        ...(cure.kind === 'type' ? [typeWords(cure), `    ${cure.command}`] : []),
      ];
    }),
  ];
  return `${lines.map(visibleName).join('\n')}\n`;
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

/** Where to type the command of a fix. */
export function typeWords({ place }: Extract<WindowCure, { kind: 'type' }>): string {
  const { t } = vscode.l10n;
  return place === 'agent' ? t('Type in the running agent:') : t('Type in a terminal:');
}
