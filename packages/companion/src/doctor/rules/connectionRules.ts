import { delimiter, dirname } from 'node:path';
import { portOf } from '@tandem/agents';
import { isWithin } from '@tandem/core';
import { describeAddress } from '@tandem/mcp';
import { isAgentId, nameOfAgent, splitFolderProblem } from '../../agents/agents.js';
import { type AgentFacts, type DoctorFacts, type FileFacts, isAnswering, isFor } from '../doctorFacts.js';
import type { Finding } from '../report.js';
import { evaluateEnv, exportLine, shellWord, unsetLine } from '../shell.js';
import { chosenFile, inAgent, isConnected, type Rule, shell, shellHere } from './rule.js';

/** Checks whether each agent, if started here, would find a companion, and which one. */
export const connectionRules: Rule = (facts) =>
  facts.agents
    .filter(({ isUsed }) => isUsed)
    .flatMap((agent) => {
      const found = ofChoice(facts, agent);
      return found === undefined ? [] : [{ ...found, agent: agent.id }];
    });

function ofChoice(facts: DoctorFacts, agent: AgentFacts): Finding | undefined {
  const { choice, displayName, descriptor, diagnosis, id } = agent;
  const { command } = facts;
  if (choice.kind === 'ambiguous') {
    const files = choice.paths.flatMap((path) => facts.files.filter((file) => file.path === path));
    const ports = files.flatMap(({ announced }) => portOf(announced?.announcement) ?? []);
    const isOurs = files.some(({ announced }) => announced?.probe.kind === 'tandem');
    return {
      id: 'two-companions',
      severity: 'error',
      title: `${displayName} finds ${choice.paths.length} companions and connects to none`,
      cause: `${list(files)} match this folder. ${displayName} connects only if exactly one companion matches, including those of parent folders.`,
      consequence: 'It does not connect and shows no message.',
      fix: shell(
        isOurs || diagnosis.variables === undefined
          ? `${command} run ${id}`
          : exportLine(shellHere(facts), diagnosis.variables.port, `${ports.at(-1) ?? ''}`),
      ),
    };
  }
  if (choice.kind === 'file') {
    if (choice.rivals.length > 0) {
      return {
        id: 'two-companions',
        severity: 'warning',
        title: `${displayName} has ${choice.rivals.length + 1} companions to choose from`,
        cause: `Several match this folder; it uses ${choice.path}.`,
        consequence: 'Its changes may open in a different window than you expect.',
        fix: shell(`${command} run ${id}`),
      };
    }
    const file = chosenFile(facts, agent);
    if (choice.isByItself || isConnected(facts, agent)) return undefined;
    if (file === undefined || !isAnswering(file)) return undefined;
    const { variables } = diagnosis;
    const isInFolder = variables === undefined;
    return {
      id: 'by-hand',
      severity: 'note',
      title: `${displayName} must be connected by hand in this ${isInFolder ? 'folder' : 'terminal'}`,
      cause: isInFolder
        ? `${displayName} connects by itself only in the folder of a companion (${file.announced?.announcement.folders.join(', ')}), not in those below it.`
        : `This shell does not set ${variables.port}, which names the companion.`,
      consequence: `${displayName} finds the companion, but connects only after ${descriptor.connect}.`,
      fix: shell(isInFolder ? `${command} run ${id}` : evaluateEnv(shellHere(facts), command)),
    };
  }
  if (choice.kind === 'none') return nothingFound(facts, agent);
  return choice.tokenless === undefined ? undefined : tokenless(facts, agent, choice.tokenless);
}

/** The CLI connects to the port in a variable without a token, and ignores the discovery files. */
function tokenless(facts: DoctorFacts, { displayName, id }: AgentFacts, variable: string): Finding {
  return {
    id: 'no-token',
    severity: 'error',
    title: `${displayName} connects without a token in this shell`,
    cause: `${variable} is ${facts.machine.env[variable]}. ${displayName} connects to that port without reading the token in the discovery file.`,
    consequence: 'The companion refuses it.',
    fix: shell(
      facts.serving === undefined ? unsetLine(shellHere(facts), [variable]) : `${facts.command} run ${id}`,
    ),
  };
}

/** Why an agent finds no companion although one serves the folder. If none does, one finding covers all agents. */
function nothingFound(facts: DoctorFacts, agent: AgentFacts): Finding | undefined {
  const { displayName, id } = agent;
  const { command, folder } = facts;
  const around = facts.files.filter(
    (file) =>
      isFor(file, agent) &&
      isAnswering(file) &&
      file.announced?.realFolders.some((each) => isWithin(each, folder)),
  );
  const linked = around.find(({ announced }) =>
    announced?.announcement.folders.every((each) => !isWithin(each, folder)),
  );
  const does = (reason: Pick<Finding, 'id' | 'title' | 'cause' | 'fix'>): Finding => ({
    severity: 'error',
    consequence: `${displayName} does not connect when it is started here.`,
    ...reason,
  });
  const folders = facts.serving?.folders.filter((each) => isWithin(each, folder)) ?? [];
  const split = folders.map((each) => splitFolderProblem(each, isAgentId(id) ? [id] : []));
  if (split[0] !== undefined && !split.includes(undefined)) {
    const { from, to } = withoutSeparator(folders[0] ?? folder);
    return does({
      id: 'split-folder',
      title: `${displayName} cannot connect in this folder`,
      cause: split[0],
      fix: shell(`mv ${shellWord(from)} ${shellWord(to)}`),
    });
  }
  if (agent.socket?.probe.kind === 'too-long') {
    const { path } = agent.socket;
    const { name } = agent.diagnosis.lookingIn(dirname(path));
    return does({
      id: 'long-socket',
      title: `The path of the socket of ${displayName} is too long`,
      cause: `${path} has ${Buffer.byteLength(path)} bytes, more than the system accepts. Set ${name} to a shorter folder, or to a short symbolic link to it. Then restart the companion.`,
      fix: shell(exportLine(shellHere(facts), name, '/a/shorter/folder')),
    });
  }
  if (linked?.announced !== undefined) {
    const { folders, ideName = 'The companion' } = linked.announced.announcement;
    return does({
      id: 'symlink',
      title: `${ideName} serves this folder through a symbolic link`,
      cause: `${linked.path} names ${folders.join(', ')}, and ${displayName} compares that as text with the real path, ${folder}. They differ.`,
      fix: shell(`cd ${shellWord(folder)} && ${command}`),
    });
  }
  const gated = around.find(({ announced, place }) => place.isRead && !announced?.announcement.opensGate);
  if (gated !== undefined) {
    return does({
      id: 'gate',
      title: `${displayName} does not look for an IDE in this terminal`,
      cause: `${gated.path} does not name its IDE (ideInfo), and ${displayName} does not recognise the terminal (TERM_PROGRAM).`,
      fix: shell(`TERM_PROGRAM=vscode ${agent.descriptor.program}`),
    });
  }
  const serving = facts.serving;
  const status = serving?.status;
  if (serving === undefined || status === undefined) return undefined;
  const served = status.agents.find((each) => each.id === id);
  const restart = shell(`${command} stop --companion ${serving.pid}; ${command}`);
  if (served === undefined) {
    return does({
      id: 'not-served',
      title: `The companion here does not serve ${displayName}`,
      cause: `Process ${serving.pid} (${serving.editor}) was started for certain agents only, and ${displayName} is not one of them.`,
      fix: restart,
    });
  }
  if (agent.descriptor.isHookedOnly) {
    return isConnected(facts, agent) || agent.isHookInstalled ? undefined : onlyByRun(facts, agent);
  }
  const { connectsThrough = id } = agent.descriptor;
  const through = status.agents.find((each) => each.id === connectsThrough);
  if (through === undefined) {
    return does({
      id: 'not-served',
      title: `${displayName} connects through another agent, which the companion here does not serve`,
      cause: `${displayName} reads the discovery file of ${nameOfAgent(connectsThrough)}, and process ${serving.pid} (${serving.editor}) was started without it.`,
      fix: restart,
    });
  }
  const [entry] = through.discovery;
  if (entry?.problem !== undefined) {
    return does({
      id: 'not-written',
      title:
        agent.socket === undefined
          ? `The companion could not write its file for ${displayName}`
          : `${displayName} cannot reach the companion`,
      cause: entry.problem,
      // With variables, it needs no file.
      fix: agent.diagnosis.variables?.token === undefined ? restart : shell(`${command} run ${id}`),
    });
  }
  if (agent.socket !== undefined) {
    const ours = agent.socket.path;
    return served.url === ours
      ? atSocket(facts, agent, agent.socket)
      : does(elsewhere(facts, agent, dirname(served.url), dirname(ours)));
  }
  const places = agent.diagnosis.places(facts.machine).filter(({ isRead }) => isRead);
  if (entry !== undefined && !places.some((place) => place.folder === dirname(entry.file))) {
    return does(elsewhere(facts, agent, dirname(entry.file), places[0]?.folder ?? ''));
  }
  return does({
    id: 'file-gone',
    title: `The companion's discovery file for ${displayName} is missing`,
    cause: `${entry?.file ?? 'It'} existed when process ${serving.pid} started, and has been removed since.`,
    fix: restart,
  });
}

/** It looks for no companion, but one that serves it is here. */
function onlyByRun({ command }: DoctorFacts, { displayName, id }: AgentFacts): Finding {
  return {
    id: 'only-by-run',
    severity: 'note',
    title: `${displayName} connects only if Tandem starts it`,
    cause: `It has no interface for editors. "${command} run ${id}" starts it with hooks.`,
    consequence: 'If you start it in another way, it writes its changes without a review.',
    fix: shell(`${command} run ${id}`),
  };
}

/** The shortest part of a path that has to be renamed, and a name for it. */
function withoutSeparator(folder: string): { readonly from: string; readonly to: string } {
  const at = folder.indexOf(delimiter);
  const end = folder.slice(at).search(/[/\\]/);
  const from = end === -1 ? folder : folder.slice(0, at + end);
  return { from, to: from.replaceAll(delimiter, '-') };
}

/** Who answers at the shared socket, which the companion here owns, or to whose owner it is connected. */
function atSocket(
  facts: DoctorFacts,
  agent: AgentFacts,
  { path, probe }: NonNullable<AgentFacts['socket']>,
): Finding | undefined {
  const { displayName, descriptor } = agent;
  if (probe.kind === 'tandem') {
    if (isConnected(facts, agent)) return undefined;
    return {
      id: 'not-asked',
      severity: 'note',
      title: `${displayName} has not asked for the context`,
      cause: `It asks only after you type ${descriptor.connect}, once in each session. It counts as connected for five minutes after each prompt.`,
      consequence:
        'Until then it sees nothing in your editor. Its changes are never shown for review: it asks in its own terminal.',
      fix: inAgent(agent, facts),
    };
  }
  const isOfAnother = probe.kind === 'unanswered' || probe.kind === 'other';
  const causes = {
    foreign: `${path} is not a socket, or belongs to another user.`,
    unresponsive: `The program that owns ${path} does not answer: it hangs or is stopped. Tandem takes the socket only from another companion. Find the program with the command below, and end it.`,
    unanswered: `Another program owns ${path}, and did not forward the request for this folder to Tandem.`,
    other: `Another program answers at ${path} for this folder.`,
    silent: `No program listens at ${path}, although the companion here should.`,
    'too-long': `${path} is too long for the path of a socket.`,
  };
  return {
    id: 'other-socket',
    severity: isOfAnother ? 'warning' : 'error',
    title: `${displayName} does not reach the companion`,
    cause: causes[probe.kind],
    consequence: `${displayName} sees nothing in your editor.`,
    fix: shell(`${probe.kind === 'foreign' ? 'rm' : 'lsof'} ${shellWord(path)}`),
    files: [path],
  };
}

/** The companion and the shell expect the agent's files in different locations. */
function elsewhere(facts: DoctorFacts, { displayName, diagnosis }: AgentFacts, theirs: string, ours: string) {
  const { name, value } = diagnosis.lookingIn(theirs);
  return {
    id: 'elsewhere',
    title: `${displayName} looks in a different folder than the companion writes to`,
    cause: `The companion wrote its file to ${theirs}; in this shell ${displayName} looks in ${ours}. ${name} differs between the two.`,
    fix: shell(exportLine(shellHere(facts), name, value)),
  };
}

function list(files: readonly FileFacts[]): string {
  return files
    .map(({ announced, path }) => {
      if (announced === undefined) return path;
      const { ideName = 'A companion', address, folders } = announced.announcement;
      return `${ideName} at ${describeAddress(address)} (${folders.join(', ') || path})`;
    })
    .join(' and ');
}
