import type { Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import { describeAddress, removeQuietly } from '@tandem/mcp';
import { thisMachine } from '../control/thisMachine.js';
import { type AgentFacts, type DoctorFacts, isDead } from './doctorFacts.js';
import { gatherFacts, readersOf } from './gatherFacts.js';
import { createProbe, readFiles } from './readFiles.js';
import type { AgentReport, DoctorReport, Finding } from './report.js';
import { agentRules } from './rules/agentRules.js';
import { companionRules } from './rules/companionRules.js';
import { connectionRules } from './rules/connectionRules.js';
import { fileRules, folderRules } from './rules/fileRules.js';
import { chosenFile, type Rule } from './rules/rule.js';
import { proxyRules, variableRules } from './rules/shellRules.js';

export interface DiagnoseOptions {
  /** The folder in which an agent would start. */
  readonly folder: Path;
  /** How the user runs the command here, such as `npx tandem`. */
  readonly command?: string;
  /** Removes stale discovery files first, and lists them in the report. */
  readonly fixes?: boolean;
  /** The machine as a terminal sees it: its environment variables matter. */
  readonly machine?: Machine;
}

/**
 * Reports why agents do not connect in a folder, or that they do. Talks to every companion that it finds without
 * disturbing a session. Changes nothing without `fixes`. Takes a few seconds at most, if ports hang or programs are
 * slow to report their version.
 */
export async function diagnose(options: DiagnoseOptions): Promise<DoctorReport> {
  const { folder, command = 'tandem', fixes = false, machine = thisMachine() } = options;
  const gather = (): Promise<DoctorFacts> => gatherFacts({ machine, folder, command });
  const facts = await gather();
  if (!fixes) return reportOn(facts);
  const removed = await removeDead(facts);
  return { ...reportOn(removed.length > 0 ? await gather() : facts), removed };
}

const rules: readonly Rule[] = [
  companionRules,
  connectionRules,
  variableRules,
  agentRules,
  fileRules,
  folderRules,
  proxyRules,
];

const rank = { error: 0, warning: 1, note: 2 } as const;

/** Derives the report from the facts. Pure except for the time. */
export function reportOn(facts: DoctorFacts): DoctorReport {
  const findings: Finding[] = rules.flatMap((rule) => [...rule(facts)]);
  const { folder, companions, agents } = facts;
  return {
    schema: 1,
    at: Date.now(),
    folder,
    isHealthy: findings.every(({ severity }) => severity !== 'error'),
    companions: companions.map(({ status: _status, folders, ...each }) => ({
      ...each,
      folders: [...folders],
    })),
    agents: agents.map((agent) => agentReport(facts, agent)),
    findings: findings.toSorted((one, other) => rank[one.severity] - rank[other.severity]),
  };
}

function agentReport(facts: DoctorFacts, agent: AgentFacts): AgentReport {
  const { id, displayName, program, isUsed, descriptor } = agent;
  return {
    id,
    displayName,
    isUsed,
    ...(program && {
      program: {
        path: program.path,
        ...(program.version !== undefined && { version: program.version }),
        isTested: program.version !== undefined && descriptor.testedVersions.includes(program.version),
      },
    }),
    connection: connectionOf(facts, agent),
  };
}

function connectionOf(facts: DoctorFacts, agent: AgentFacts): AgentReport['connection'] {
  const { choice } = agent;
  if (choice.kind === 'ambiguous') return { kind: 'ambiguous' };
  if (choice.kind === 'environment') return { kind: 'connects', port: choice.port };
  if (agent.socket !== undefined) {
    const { kind } = agent.socket.probe;
    const answers = kind === 'tandem' || kind === 'other';
    return { kind: answers ? 'asks' : 'nothing', socket: agent.socket.path, answer: kind };
  }
  const announced = chosenFile(facts, agent)?.announced;
  if (choice.kind === 'none' || announced === undefined) return { kind: 'nothing' };
  const { announcement, probe } = announced;
  const isThere = probe.kind === 'tandem' || probe.kind === 'accepted' || probe.kind === 'listening';
  return {
    kind: !isThere ? 'nothing' : choice.isByItself ? 'connects' : 'asks',
    file: choice.path,
    ...announcement.address,
    answer: probe.kind,
    ...(announcement.ideName !== undefined && { ideName: announcement.ideName }),
  };
}

/**
 * Removes stale discovery files. Checks each one again first: another companion may have taken its name or its port
 * meanwhile.
 */
async function removeDead(facts: DoctorFacts): Promise<{ readonly file: string; readonly reason: string }[]> {
  const dead = new Set(facts.files.filter(isDead).map(({ path }) => path));
  if (dead.size === 0) return [];
  const probe = createProbe();
  const again = await Promise.all(readersOf().map((reader) => readFiles(reader, facts.machine, probe)));
  return again
    .flat()
    .filter((file) => dead.has(file.path) && isDead(file) && removeQuietly(file.path))
    .map(({ path, announced }) => ({
      file: path,
      reason: `process ${announced?.writer?.pid ?? announced?.announcement.pid} has ended and no program listens at ${announced && describeAddress(announced.announcement.address)}`,
    }));
}
