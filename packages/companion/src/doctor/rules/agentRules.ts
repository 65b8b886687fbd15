import { type AgentFacts, type DoctorFacts, isAnswering, type RefusedSettings } from '../doctorFacts.js';
import type { Finding } from '../report.js';
import { shellWord, unsetLine } from '../shell.js';
import { chosenFile, inAgent, isConnected, type Rule, shell, shellHere } from './rule.js';

/** Checks the settings, modes and versions of each agent that is used here. */
export const agentRules: Rule = (facts) =>
  facts.agents
    .filter(({ isUsed }) => isUsed)
    .flatMap((agent) =>
      [
        ...refusedSettings(agent),
        skippedDefaults(agent),
        ideMode(facts, agent),
        mode(facts, agent),
        container(facts, agent),
        missingHook(facts, agent),
        earlierHook(facts, agent),
        hooksOff(facts, agent),
        ...versions(facts, agent),
      ]
        .filter((each) => each !== undefined)
        .map((each) => ({ ...each, agent: agent.id })),
    );

function refusedSettings({ displayName, refusedSettings: refused }: AgentFacts): Finding[] {
  return refused.map((settings) => {
    const { path, why } = settings;
    const { advice, command } = settingsCure(settings);
    return {
      id: 'refused-settings',
      severity: 'error',
      title: `Tandem cannot read a settings file of ${displayName}`,
      cause: `${path} is not read: ${why}.`,
      consequence: `Its settings are unknown here. ${displayName} itself may hang or run out of memory when it reads the file. ${advice}`,
      fix: shell(command),
      files: [path],
    };
  });
}

function skippedDefaults({ displayName, skippedDefaults: skipped }: AgentFacts): Finding | undefined {
  if (skipped === undefined) return undefined;
  const { file, place } = skipped;
  return {
    id: 'skipped-defaults',
    severity: 'warning',
    title: `${displayName} skips the settings of this machine`,
    cause: `Others than root may change ${place}.`,
    consequence: `${displayName} says nothing and goes on without ${file}, so its hooks and other settings there have no effect.`,
    fix: shell(`sudo chown root ${shellWord(place)} && sudo chmod go-w ${shellWord(place)}`),
    files: [file],
  };
}

/** The advice for a settings file. The command removes only a file without settings; otherwise it shows the file. */
function settingsCure({ path, reason }: RefusedSettings): { advice: string; command: string } {
  const show = `ls -ld ${shellWord(path)}`;
  switch (reason) {
    case 'no-answer':
      return { advice: 'Check the disk or the network share.', command: 'mount' };
    case 'too-large':
      return { advice: 'Make the file smaller.', command: show };
    case 'folder':
      return {
        advice: 'Rename the folder, and create a file with this name.',
        command: show,
      };
    case 'special':
    case 'endless':
      return { advice: 'Remove it.', command: `rm ${shellWord(path)}` };
  }
}

function ideMode(facts: DoctorFacts, agent: AgentFacts): Finding | undefined {
  const { settings, displayName, diagnosis, id } = agent;
  if (settings.isIdeModeOn !== false || isConnected(facts, agent)) return undefined;
  return {
    id: 'ide-mode-off',
    severity: 'error',
    title: `The IDE mode of ${displayName} is off`,
    cause: settings.offBecause?.ideMode
      ? `${settings.offBecause.ideMode}.`
      : 'Its settings do not contain "ide": { "enabled": true }. It is off by default.',
    consequence: `${displayName} does not look for a companion.`,
    // A file that must be root's helps few users.
    fix:
      diagnosis.defaults?.isOnlyOfRoot === false
        ? shell(`${facts.command} run ${id}`)
        : inAgent(agent, facts),
  };
}

function mode(facts: DoctorFacts, agent: AgentFacts): Finding | undefined {
  const { settings, displayName, descriptor } = agent;
  if (settings.opensDiffs) return undefined;
  const { mode: named, offBecause } = settings;
  if (offBecause?.diffs !== undefined) {
    return {
      id: 'no-diffs',
      severity: 'warning',
      title: `${displayName} opens no diffs`,
      cause: `${offBecause.diffs}.`,
      consequence: 'Its changes are never shown for review.',
      fix:
        offBecause.variable === undefined
          ? inAgent(agent, facts)
          : shell(unsetLine(shellHere(facts), [offBecause.variable])),
    };
  }
  return {
    id: 'no-diffs',
    severity: 'warning',
    title: `${displayName} opens no diffs in its current mode`,
    cause:
      named === undefined
        ? `Its settings set no mode, and its default is "auto", in which it approves its own edits.`
        : `Its settings set the mode "${named}", in which it approves its own edits.`,
    consequence: 'It connects and sees what you work on, but its changes are never shown for review.',
    fix: shell([descriptor.program, ...descriptor.askingFlags].join(' ')),
  };
}

function container(facts: DoctorFacts, agent: AgentFacts): Finding | undefined {
  const cure = agent.diagnosis.containerCure?.(facts.machine);
  const file = chosenFile(facts, agent);
  if (isConnected(facts, agent)) return undefined;
  if (cure === undefined || file === undefined || !isAnswering(file)) return undefined;
  return {
    id: 'dev-container',
    severity: 'error',
    title: `${agent.displayName} looks for the companion outside this container`,
    cause:
      'In a container it connects to host.docker.internal, unless a variable states that the editor runs in the container, too.',
    consequence: 'It does not connect, although the companion runs in the same container.',
    fix: shell(cure),
  };
}

function earlierHook({ command }: DoctorFacts, agent: AgentFacts): Finding | undefined {
  const { earlierHook: path, missingHook: missing, displayName, id } = agent;
  if (path === undefined || missing !== undefined) return undefined;
  return {
    id: 'earlier-hook',
    severity: 'note',
    title: `An earlier version of Tandem has added the hook of ${displayName}`,
    cause: `${path} contains the hook in an earlier form.`,
    consequence:
      'It still works. If the Node.js that it names is removed, edits are written without a review.',
    fix: shell(`${command} hook install ${id}`),
    files: [path],
  };
}

function hooksOff(facts: DoctorFacts, agent: AgentFacts): Finding | undefined {
  const { hooksOff: off, displayName } = agent;
  if (off === undefined) return undefined;
  const { cause, files, variable, command } = off;
  return {
    id: 'hooks-off',
    severity: 'warning',
    title: `${displayName} runs no hooks`,
    cause: `${cause}.`,
    consequence: 'Edits that it writes without a question are not shown for review, also with "before".',
    fix: shell(
      variable === undefined
        ? // Shows the setting.
          (command ?? `grep -n -i hooks ${files.map(shellWord).join(' ')}`)
        : unsetLine(shellHere(facts), [variable]),
    ),
    files: [...files],
  };
}

function missingHook({ command }: DoctorFacts, agent: AgentFacts): Finding | undefined {
  const { missingHook: path, displayName, id } = agent;
  if (path === undefined) return undefined;
  return {
    id: 'missing-hook',
    severity: 'warning',
    title: `The hook in the settings of ${displayName} starts a program that does not exist`,
    cause: `${path} was removed or moved after "${command} hook install ${id}".`,
    consequence: `${displayName} works as without the hook.`,
    fix: shell(`${command} hook install ${id}`),
    files: [path],
  };
}

function versions({ node }: DoctorFacts, agent: AgentFacts): (Finding | undefined)[] {
  const { program, displayName, descriptor, diagnosis } = agent;
  const version = program?.version;
  // A program that this Node.js cannot run reports no version. On Windows it is not asked.
  if (program === undefined || program.path.endsWith('.cmd')) return [];
  const needed = diagnosis.nodeFor?.(version ?? descriptor.testedVersions[0] ?? '');
  const isTooOld = needed !== undefined && node !== undefined && isOlder(node, needed);
  return [
    isTooOld
      ? {
          id: 'old-node',
          severity: 'error',
          title: `${[displayName, version ?? []].flat().join(' ')} needs a newer Node.js`,
          cause: `The first node on the PATH is ${node}; ${version === undefined ? displayName : 'this version'} needs ${needed}.`,
          consequence: 'It does not start, or fails unpredictably.',
          fix: shell(`nvm install ${Number.parseInt(needed, 10)}`),
        }
      : undefined,
    version === undefined || descriptor.testedVersions.includes(version)
      ? undefined
      : {
          id: 'untested-version',
          severity: 'note',
          title: `${displayName} ${version} is not a version that Tandem is tested with`,
          cause: `Tandem's tests run ${descriptor.testedVersions.join(' and ')}.`,
          consequence: 'It probably works. If it does not, this may be the reason.',
          fix: shell(`${descriptor.install}@${descriptor.testedVersions[0] ?? 'latest'}`),
        },
  ];
}

/** Compares versions of three numbers. */
function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((each) => each.split('.').map(Number));
  const at = other?.findIndex((part, index) => part !== one?.[index]) ?? -1;
  return at !== -1 && (one?.[at] ?? 0) < (other?.[at] ?? 0);
}
