import { homedir } from 'node:os';
import type { AgentReport, DoctorReport, Finding } from '@tandem/companion/doctor';
import { timelineOf, traceReport } from '@tandem/companion/trace';
import type { PageDiagnosis, PageFinding } from '@tandem/page/wire';
import { commandName } from '../output.js';
import type { PageHandlers, PageServices } from './pageServices.js';

/** Calls that explain why something does not work: the doctor, and the recorded messages. */
export function helpCalls({
  companion,
}: PageServices): Pick<PageHandlers, 'recording.read' | 'diagnose' | 'trace.read' | 'trace.report'> {
  let looking: Promise<PageDiagnosis> | undefined;
  return {
    'recording.read': async () => [...(await companion.work.recording())],
    diagnose: () => {
      // Concurrent requests of several pages share one answer.
      looking ??= diagnose(companion.editor.workspace.folders()[0]).finally(() => {
        looking = undefined;
      });
      return looking;
    },
    'trace.read': ({ version: known }) => {
      const lines = companion.trace.lines;
      const version = companion.trace.version;
      if (version === known) return { version };
      const names = new Map(companion.agents.connections().map(({ id, displayName }) => [id, displayName]));
      const exchanges = timelineOf(lines).map(({ session: _session, ...entry }) => ({
        ...entry,
        agentName: names.get(entry.agent) ?? entry.agent,
      }));
      return { version, exchanges };
    },
    'trace.report': async ({ agent }) => ({
      text: traceReport({
        lines: companion.trace.lines,
        status: await companion.status(),
        home: homedir(),
        ...(agent !== undefined && { agent }),
      }),
    }),
  };
}

/** The doctor loads on the first request. */
async function diagnose(folder = process.cwd()): Promise<PageDiagnosis> {
  const doctor = await import('@tandem/companion/doctor');
  return toPage(await doctor.diagnose({ folder, command: commandName }));
}

function toPage(report: DoctorReport): PageDiagnosis {
  const of = (agent: string | undefined): PageFinding[] =>
    report.findings.filter((each) => each.agent === agent).map(toPageFinding);
  return {
    folder: report.folder,
    isHealthy: report.isHealthy,
    groups: [
      { name: 'This folder', isLookedAt: true, findings: of(undefined) },
      ...report.agents.map((agent) => ({
        name: agent.displayName,
        isLookedAt: agent.isUsed,
        findings: of(agent.id),
        ...stateOf(agent),
      })),
    ],
  };
}

function toPageFinding({ id, severity, title, cause, consequence, fix }: Finding): PageFinding {
  const { command, place } = fix;
  return { id, severity, title, cause, consequence, fix: { command, place } };
}

function stateOf({ isUsed, program, connection }: AgentReport): { state?: string } {
  if (!isUsed) return { state: 'Not found on the PATH of the companion.' };
  const version = program?.version === undefined ? '' : `Version ${program.version}. `;
  const { kind, ideName = 'a companion' } = connection;
  if (kind === 'connects') return { state: `${version}It finds ${ideName}.` };
  if (kind === 'asks') return { state: `${version}It finds ${ideName} once its IDE mode is on.` };
  return version === '' ? {} : { state: version.trim() };
}
