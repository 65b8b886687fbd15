import type { AgentReport, DoctorReport, Finding } from '@tandem/companion/doctor';
import { visibleName } from '@tandem/core';
import { commandName, paint } from './output.js';

/** Columns of prose. Commands are never wrapped. */
const widest = 80;
const indent = ' '.repeat(12);

/** The doctor's report for users, by agent. Signs and words repeat the colours. */
export function doctorText(report: DoctorReport, columns: number): string {
  const width = Math.min(widest, columns);
  const groups = report.agents.map((agent) => ({
    heading: agentHeading(agent),
    lines: [
      ...connectionLine(agent, report),
      ...findingsOf(report, agent.id).flatMap((each) => findingLines(each, width)),
    ],
  }));
  const general = {
    heading: 'This folder and shell',
    lines: [
      ...report.companions.filter(({ servesFolder }) => servesFolder).map(companionLine),
      ...findingsOf(report, undefined).flatMap((each) => findingLines(each, width)),
    ],
  };
  const parts = [general, ...groups].map(({ heading, lines }) =>
    [paint('bold', heading), ...lines].join('\n'),
  );
  return [
    `${paint('bold', 'Tandem doctor')}  ${visibleName(report.folder)}`,
    ...(report.removed ?? []).map(({ file, reason }) => `removed ${visibleName(file)}\n  because ${reason}`),
    ...(report.removed?.length === 0
      ? ['Nothing was removed: no discovery file is certain to be stale.']
      : []),
    ...parts,
    conclusion(report),
  ].join('\n\n');
}

function findingsOf({ findings }: DoctorReport, agent: string | undefined): readonly Finding[] {
  return findings.filter((each) => each.agent === agent);
}

function agentHeading({ displayName, program, isUsed }: AgentReport): string {
  if (program === undefined) return `${displayName}  ${isUsed ? 'not on the PATH' : 'not installed'}`;
  return `${displayName}  ${visibleName(program.version ?? 'unknown version')}`;
}

function companionLine({ pid, editor, version, folders }: DoctorReport['companions'][number]): string {
  return `  ${sign('ok')} ${visibleName(editor)} ${visibleName(version)} serves ${folders.map(visibleName).join(', ')} (process ${pid})`;
}

/** The expected connection. If there is none, a finding explains why. */
function connectionLine(
  { connection, isUsed, id }: AgentReport,
  { findings }: DoctorReport,
): readonly string[] {
  const { kind, ideName = 'a companion', port, socket, answer } = connection;
  if (kind === 'ambiguous' || !isUsed) return [];
  if (kind === 'nothing') return [`  ${sign('none')} finds no companion here`];
  const companion = `${visibleName(ideName)} at ${port === undefined ? visibleName(socket ?? '') : `port ${port}`}`;
  const isStopped = findings.some(({ agent, severity }) => agent === id && severity === 'error');
  if (isStopped) return [`  ${sign('none')} finds ${companion}`];
  const proof =
    { tandem: '; a test connection succeeded', accepted: '; it accepts the token' }[answer ?? ''] ?? '';
  const way = kind === 'asks' ? 'would find' : 'would connect to';
  return [`  ${sign('ok')} ${way} ${companion}${proof}`];
}

function findingLines({ severity, title, cause, consequence, fix }: Finding, width: number): string[] {
  const mend = fix.place === 'agent' ? `type in the agent: ${fix.command}` : fix.command;
  return [
    ...wrap(visibleName(title), width, indent).map((line, at) =>
      at === 0 ? `  ${sign(severity)} ${line.trimStart()}` : line,
    ),
    ...wrap(visibleName(cause), width, indent),
    ...wrap(visibleName(consequence), width, indent),
    `${indent}${paint('cyan', `→ ${visibleName(mend)}`)}`,
  ];
}

function conclusion({ findings, isHealthy }: DoctorReport): string {
  const count = (severity: Finding['severity'], word: string): string[] => {
    const number = findings.filter((each) => each.severity === severity).length;
    return number === 0 ? [] : [`${number} ${word}${number === 1 ? '' : 's'}`];
  };
  const counts = [...count('error', 'error'), ...count('warning', 'warning'), ...count('note', 'note')];
  const automatic = findings.filter(({ fix }) => fix.isAutomatic).length;
  const fixing =
    automatic === 0
      ? []
      : [`${commandName} doctor --fix fixes ${automatic === 1 ? 'one of them' : `${automatic} of them`}.`];
  if (counts.length === 0) return paint('green', 'No problems found.');
  return [
    `${counts.join(', ')}.${isHealthy ? ' None of them keeps agents from connecting.' : ''}`,
    ...fixing,
  ].join(' ');
}

const signs = {
  ok: ['green', '✓ ok     '],
  error: ['red', '✗ error  '],
  warning: ['yellow', '! warning'],
  note: ['dim', '· note   '],
  none: ['dim', '· -      '],
} as const;

function sign(of: keyof typeof signs): string {
  const [style, text] = signs[of];
  return paint(style, text);
}

/** Wraps prose between words. A longer word, such as a path, gets its own line. */
function wrap(text: string, width: number, before: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && before.length + line.length + 1 + word.length > width) {
      lines.push(before + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, before + line];
}
