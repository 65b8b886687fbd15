import { portIn, portOf } from '@tandem/agents';
import { type AgentFacts, type DoctorFacts, isAnswering, isFor } from '../doctorFacts.js';
import type { Finding } from '../report.js';
import { evaluateEnv, prependLine, unsetLine } from '../shell.js';
import { type Rule, shell, shellHere } from './rule.js';

/** Checks the environment variables of this shell against the running companions. */
export const variableRules: Rule = (facts) =>
  facts.agents.flatMap((agent) => {
    const found = stalePort(facts, agent) ?? staleToken(facts, agent);
    return found === undefined ? [] : [{ ...found, agent: agent.id }];
  });

function stalePort(facts: DoctorFacts, agent: AgentFacts): Finding | undefined {
  const { diagnosis, choice, displayName, isUsed } = agent;
  const { env } = facts.machine;
  const name = diagnosis.variables?.port;
  if (name === undefined || !env[name]) return undefined;
  const port = portIn(env[name]);
  const isThere = facts.files.some(
    (file) => isFor(file, agent) && portOf(file.announced?.announcement) === port && isAnswering(file),
  );
  if (isThere) return undefined;
  const isLost = isUsed && choice.kind !== 'file';
  return {
    id: 'stale-variable',
    severity: isLost ? 'error' : 'warning',
    title: `This shell names a companion that is not running`,
    cause: `${name} is ${env[name]}, and no companion for ${displayName} answers there. ${keptBy(env)}`,
    consequence: isLost
      ? `${displayName} tries it and does not connect.`
      : `${displayName} tries it first, and then others.`,
    fix: mended(facts, agent),
  };
}

function staleToken(facts: DoctorFacts, agent: AgentFacts): Finding | undefined {
  const { diagnosis, choice, displayName } = agent;
  const { env } = facts.machine;
  if (diagnosis.variables === undefined) return undefined;
  const { port, token } = diagnosis.variables;
  const value = token === undefined ? undefined : env[token];
  if (!value) return undefined;
  const file = facts.files.find(
    (each) => isFor(each, agent) && portOf(each.announced?.announcement) === portIn(env[port]),
  );
  const right = file?.announced?.announcement.token;
  if (right === undefined || right === value) return undefined;
  return {
    id: 'stale-variable',
    severity: choice.kind === 'environment' ? 'error' : 'warning',
    title: 'This shell holds the token of an earlier companion',
    cause: `${token} is not the token in ${file?.path} for the same port. ${keptBy(env)}`,
    consequence: `If ${displayName} cannot read that file, it sends this token, and the companion refuses it.`,
    fix: mended(facts, agent),
  };
}

function mended(facts: DoctorFacts, { diagnosis: { variables } }: AgentFacts): Finding['fix'] {
  const names =
    variables === undefined ? [] : [variables.port, variables.token ?? [], variables.others].flat();
  return facts.serving === undefined
    ? shell(unsetLine(shellHere(facts), names))
    : shell(evaluateEnv(shellHere(facts), facts.command));
}

function keptBy(env: Readonly<Record<string, string | undefined>>): string {
  return env.TMUX
    ? 'tmux keeps the variables of the terminal that started it.'
    : 'A shell keeps the variables it was started with.';
}

/** A proxy for all hosts must exclude this machine. */
export const proxyRules: Rule = (facts) => {
  const { env } = facts.machine;
  const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
  const set = names.find((name) => env[name]);
  const excluded = (env.NO_PROXY ?? env.no_proxy ?? '').split(/[\s,]+/);
  const isExcluded = ['*', '127.0.0.1', '127.0.0.0/8'].some((each) => excluded.includes(each));
  if (set === undefined || isExcluded) return [];
  return [
    {
      id: 'proxy',
      severity: 'warning',
      title: 'A proxy may intercept connections to the companion',
      cause: `${set} is set, and NO_PROXY does not include 127.0.0.1.`,
      consequence:
        'Gemini CLI 0.61 and Qwen Code 0.24 bypass the proxy. Other versions and clients may send the request, with its token, to the proxy, and do not connect.',
      fix: shell(prependLine(shellHere(facts), 'NO_PROXY', '127.0.0.1,localhost')),
    },
  ];
};
