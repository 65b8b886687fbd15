import type { DoctorReport, Finding, WindowCure } from '@tandem/companion/doctor';
import { visibleName } from '@tandem/core';
import * as vscode from 'vscode';
import { conclusion, severityWord, stateText, titleOf, typeWords } from './diagnosisWords.js';

/** What the doctor found, as a text to be pasted where somebody helps. */
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
