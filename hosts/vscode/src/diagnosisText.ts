import type { AgentReport, DoctorReport, Finding } from '@tandem/companion/doctor';
import * as vscode from 'vscode';

/** What the doctor found, as Markdown. What is quoted from the machine is never a part of the Markdown. */
export function diagnosisText(report: DoctorReport): string {
  const { t } = vscode.l10n;
  const { findings, agents, removed = [] } = report;
  const general = findings.filter(({ agent }) => agent === undefined);
  return [
    `# ${t('Tandem: Diagnosis')}`,
    plain(report.folder),
    conclusion(report),
    ...removed.map(({ file, reason }) => `- ${t('Removed {0}: {1}', plain(file), plain(reason))}`),
    ...(general.length === 0 ? [] : [`## ${t('This folder')}`, ...general.map(findingText)]),
    ...agents.flatMap((agent) => [
      `## ${plain(agent.displayName)}`,
      stateText(agent),
      ...findings.filter((each) => each.agent === agent.id).map(findingText),
    ]),
    t('This is what a new terminal of this window sees. Elsewhere, type this in the terminal in question:'),
    block('tandem doctor'),
    '',
  ].join('\n\n');
}

function conclusion({ findings }: DoctorReport): string {
  const { t } = vscode.l10n;
  if (findings.length === 0) return t('Nothing is wrong.');
  const count = (severity: Finding['severity']): number =>
    findings.filter((each) => each.severity === severity).length;
  return t('Errors: {0}. Warnings: {1}. Notes: {2}.', count('error'), count('warning'), count('note'));
}

function stateText({ isUsed, program, connection }: AgentReport): string {
  const { t } = vscode.l10n;
  if (!isUsed) return t('Not installed here, as far as the PATH tells.');
  const version = program?.version === undefined ? '' : `${t('Version {0}.', plain(program.version))} `;
  const { kind, ideName = '' } = connection;
  if (kind === 'ambiguous') return `${version}${t('It finds several companions.')}`;
  if (kind === 'nothing') return `${version}${t('It finds no companion.')}`;
  return `${version}${t('It finds {0}.', plain(ideName))}`;
}

function findingText({ severity, title, cause, consequence, fix }: Finding): string {
  const { t } = vscode.l10n;
  const word = { error: `✗ ${t('Error')}`, warning: `! ${t('Warning')}`, note: `· ${t('Note')}` }[severity];
  const where = fix.place === 'agent' ? t('Type in the running agent:') : t('Type in a terminal:');
  return [`### ${word}: ${plain(title)}`, plain(cause), plain(consequence), where, block(fix.command)].join(
    '\n\n',
  );
}

/** Letters of others as they are. */
function plain(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~&-]/g, '\\$&').replace(/\s+/g, ' ');
}

/** A command, in a block that nothing in it can end. */
function block(command: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...command.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `${fence}sh\n${command.replace(/[\r\n]+/g, ' ')}\n${fence}`;
}
