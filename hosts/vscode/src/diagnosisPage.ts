import { randomBytes } from 'node:crypto';
import { agentIds, isAgentId } from '@tandem/companion/agents';
import type { AgentReport, DoctorReport, Finding, WindowCure } from '@tandem/companion/doctor';
import { visibleName } from '@tandem/core';
import * as vscode from 'vscode';
import { copyDiagnosisCommand, removeDeadCommand } from './diagnosisCommands.js';
import { startCommandOf } from './terminals.js';

/** Everything that a click in the page can run. */
export const diagnosisCommands: readonly string[] = [
  removeDeadCommand,
  copyDiagnosisCommand,
  'tandem.diagnose',
  'tandem.restart',
  'tandem.resumeSharing',
  'tandem.openSettings',
  'workbench.action.terminal.new',
  ...agentIds.map(startCommandOf),
];

/**
 * The doctor's findings and their fixes in this window, as a document for a webview without scripts. Data from the
 * machine appears as text.
 */
export function diagnosisPage(report: DoctorReport, cureOf: (finding: Finding) => WindowCure): string {
  const { t } = vscode.l10n;
  const { findings, agents, removed = [] } = report;
  const show = (finding: Finding): string => findingPart(finding, cureOf(finding));
  const general = findings.filter(({ agent }) => agent === undefined);
  const nonce = randomBytes(24).toString('base64url');
  return `<!doctype html>
<html lang="${escaped(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'">
<title>${escaped(t('Tandem: Diagnosis'))}</title>
<style nonce="${nonce}">${styles}</style>
</head>
<body>
<main>
<h1>${escaped(t('Tandem: Diagnosis'))}</h1>
<p><code>${escaped(report.folder)}</code></p>
<p>${escaped(conclusion(report))} ${button('tandem.diagnose', t('Run Again'))} ${button(copyDiagnosisCommand, t('Copy All'))}</p>
${removed.map(({ file, reason }) => paragraph(t('Removed {0}: {1}', file, reason))).join('\n')}
${general.length === 0 ? '' : section(t('This folder'), general.map(show))}
${agents
  .map((agent) => {
    const own = findings.filter((each) => each.agent === agent.id);
    return section(agent.displayName, [paragraph(stateText(agent)), ...own.map(show)]);
  })
  .join('\n')}
<footer>${paragraph(t('These checks use the environment of a new terminal in this window.'))}</footer>
</main>
</body>
</html>`;
}

function findingPart(finding: Finding, cure: WindowCure): string {
  const { severity, title, cause, consequence } = finding;
  const sign = { error: '✗', warning: '!', note: '·' }[severity];
  return `<article class="${severity}">
<h3><span aria-hidden="true">${sign}</span> ${escaped(`${severityWord(severity)}: ${title}`)}</h3>
${paragraph(cause)}
${paragraph(consequence)}
${curePart(cure)}
</article>`;
}

function curePart(cure: WindowCure): string {
  const { t } = vscode.l10n;
  switch (cure.kind) {
    case 'remove':
      return button(removeDeadCommand, t('Remove Files'));
    case 'restart':
      return button('tandem.restart', t('Restart Tandem'));
    case 'resume-sharing':
      return button('tandem.resumeSharing', t('Resume Sharing'));
    case 'settings':
      return button('tandem.openSettings', t('Open the Settings of Tandem'));
    case 'new-terminal':
      return button('workbench.action.terminal.new', t('Open a New Terminal'));
    case 'start-agent':
      return isAgentId(cure.agent)
        ? button(startCommandOf(cure.agent), t('Start It in a New Terminal'))
        : button('workbench.action.terminal.new', t('Open a New Terminal'));
    case 'type': {
      const copy = `${copyDiagnosisCommand}?${encodeURIComponent(JSON.stringify([cure.command]))}`;
      return `${paragraph(typeWords(cure))}\n<pre><code>${escaped(cure.command)}</code></pre>\n${button(copy, t('Copy'))}`;
    }
  }
}

function section(title: string, parts: readonly string[]): string {
  return `<section>\n<h2>${escaped(title)}</h2>\n${parts.join('\n')}\n</section>`;
}

function paragraph(text: string): string {
  return `<p>${escaped(text)}</p>`;
}

function button(command: string, label: string): string {
  return `<a class="button" role="button" href="command:${escaped(command)}">${escaped(label)}</a>`;
}

/** Escapes a text for HTML, and makes invisible characters visible. */
function escaped(text: string): string {
  return visibleName(text).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

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
function conclusion({ findings }: DoctorReport): string {
  const { t } = vscode.l10n;
  if (findings.length === 0) return t('No problems found.');
  const count = (severity: Finding['severity']): number =>
    findings.filter((each) => each.severity === severity).length;
  return t('Errors: {0}. Warnings: {1}. Notes: {2}.', count('error'), count('warning'), count('note'));
}

/** The state of an agent in one line. */
function stateText({ isUsed, program, connection }: AgentReport): string {
  const { t } = vscode.l10n;
  if (!isUsed) return t('Not found on the PATH.');
  const version = program?.version === undefined ? '' : `${t('Version {0}.', program.version)} `;
  const { kind, ideName = '' } = connection;
  if (kind === 'ambiguous') return `${version}${t('It finds several companions.')}`;
  if (kind === 'nothing') return `${version}${t('It finds no companion.')}`;
  return `${version}${t('It finds {0}.', ideName)}`;
}

function severityWord(severity: Finding['severity']): string {
  const { t } = vscode.l10n;
  return { error: t('Error'), warning: t('Warning'), note: t('Note') }[severity];
}

/** Where to type the command of a fix. */
function typeWords({ place }: Extract<WindowCure, { kind: 'type' }>): string {
  const { t } = vscode.l10n;
  return place === 'agent' ? t('Type in the running agent:') : t('Type in a terminal:');
}

const styles = `
body { color: var(--vscode-foreground); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); line-height: 1.5; }
main { max-width: 46rem; padding: 0.5rem 1rem 2rem; }
h1 { font-size: 1.6em; font-weight: 600; }
h2 { margin: 2rem 0 0.5rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--vscode-panel-border); font-size: 1.3em; font-weight: 600; }
h3 { margin: 0 0 0.5rem; font-size: 1em; font-weight: 600; }
p { margin: 0.5rem 0; overflow-wrap: anywhere; }
footer { margin-top: 2rem; color: var(--vscode-descriptionForeground); }
article { margin: 1rem 0; padding: 0.75rem 1rem; border: 1px solid var(--vscode-panel-border); border-left: 3px solid var(--vscode-editorInfo-foreground); border-radius: 4px; }
article.error { border-left-color: var(--vscode-editorError-foreground); }
article.warning { border-left-color: var(--vscode-editorWarning-foreground); }
code { font-family: var(--vscode-editor-font-family); overflow-wrap: anywhere; }
pre { margin: 0.5rem 0 0; padding: 0.5rem 0.75rem; border-radius: 4px; background: var(--vscode-textCodeBlock-background); white-space: pre-wrap; user-select: all; }
.button { display: inline-block; padding: 0.25rem 0.75rem; border: 1px solid var(--vscode-button-border, transparent); border-radius: 4px; background: var(--vscode-button-background); color: var(--vscode-button-foreground); text-decoration: none; }
pre + .button { margin-top: 0.5rem; }
.button:hover { background: var(--vscode-button-hoverBackground); color: var(--vscode-button-foreground); }
.button:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
`;
