import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentConnection, type AgentId, agentConnection, type FoundCompanion, isAgentId, stateFolder, thisMachine } from '@tandem/companion';
import { agentCommands, connectByDefault } from '../agentCommands.js';
import { type CompanionChoice, calling, chooseCompanion, findCompanionFor } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { printError } from '../output.js';

/** How long a companion may take to start. */
const startLimitMs = 15_000;
/** A companion that `run` started ends when nobody needed it for this long. */
const idleSeconds = 30;

/** `tandem run`: starts an agent CLI connected to this folder's companion, and passes its exit code on. */
export async function run(agent: string, args: readonly string[], choice: CompanionChoice): Promise<void> {
  if (!isAgentId(agent)) throw new CommandError(`Tandem knows no agent "${agent}".`, exitCode.usage);
  const companion = await companionHere(choice);
  const connections = agentConnection.array().parse(await calling(companion.client, (client) => client.call('connections', {})));
  const connection = connections.find(({ id }) => id === agent);
  if (connection === undefined) {
    throw new CommandError(`The companion (process ${companion.pid}) was told not to serve ${agent}.`);
  }
  const stay = new AbortController();
  // While we follow its events the companion counts as needed, also before the agent has connected.
  const following = companion.client.follow(() => {}, { signal: stay.signal }).catch(() => undefined);
  const { program, install, reason, hint } = agentCommands[agent];
  const flags = reviewFlags(agent, args);
  if (hint !== undefined) printError(`tandem: ${hint}`);
  if (flags.length > 0) printError(`tandem: ${program} ${flags.join(' ')}, ${reason}.`);
  try {
    process.exitCode = await runProgram(program, [...flags, ...args], environmentFor(agent, connection));
  } catch (error) {
    throw new CommandError(`${program} cannot be started. Install it with: ${install}`, exitCode.failed, { cause: error });
  } finally {
    stay.abort();
    await following;
  }
}

/** Flags that make the agent ask, unless the person chose otherwise. */
export function reviewFlags(agent: AgentId, args: readonly string[]): readonly string[] {
  const { reviewFlags: flags, unless } = agentCommands[agent];
  return args.some((arg) => unless.some((pattern) => pattern.test(arg))) ? [] : flags;
}

async function companionHere(choice: CompanionChoice): Promise<FoundCompanion> {
  if (choice.companion !== undefined) return chooseCompanion(process.cwd(), choice);
  return (await findCompanionFor(process.cwd())) ?? (await startCompanion());
}

/** Starts `tandem serve` for the current folder in the background; it writes a log and ends by itself. */
async function startCompanion(): Promise<FoundCompanion> {
  const folder = stateFolder(thisMachine());
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const logFile = join(folder, 'serve.log');
  const log = openSync(logFile, 'w', 0o600);
  const [, entry = ''] = process.argv;
  const child = spawn(process.execPath, [entry, 'serve', '--until-idle', String(idleSeconds)], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  const failure = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`it ended with code ${code}`)));
    setTimeout(() => reject(new Error(`it was not ready within ${startLimitMs} ms`)), startLimitMs).unref();
  });
  const ready = new Promise<void>((resolve) => child.once('message', () => resolve()));
  try {
    await Promise.race([ready, failure]);
  } catch (error) {
    const said = readFileSync(logFile, 'utf8').trim();
    throw new CommandError(`The companion could not be started: ${said || String(error)}`, exitCode.failed, { cause: error });
  } finally {
    failure.catch(() => undefined);
    if (child.connected) child.disconnect();
    child.unref();
  }
  printError(`tandem: started a companion for this folder (process ${child.pid}).`);
  const companion = await findCompanionFor(process.cwd());
  if (companion === undefined) throw new CommandError(`The companion that was started is not to be found. Its log: ${logFile}`);
  return companion;
}

/**
 * What the agent's process gets besides our own environment. A variable that the person set stays, and so do
 * defaults that an administrator laid down: the variable would replace them.
 */
function environmentFor(agent: AgentId, connection: AgentConnection): Record<string, string> {
  const { defaults } = agentCommands[agent];
  const systemFile = defaults?.systemFile[process.platform];
  const isTaken = defaults === undefined || process.env[defaults.variable] !== undefined;
  if (isTaken || (systemFile !== undefined && existsSync(systemFile))) return connection.env;
  const file = join(stateFolder(thisMachine()), 'connect-by-default.json');
  writeFileSync(file, JSON.stringify(connectByDefault), { mode: 0o600 });
  return { ...connection.env, [defaults.variable]: file };
}

/** Runs a program on our own terminal. Resolves to its exit code; rejects when it cannot be started. */
function runProgram(program: string, args: readonly string[], env: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    // npm's programs are scripts on Windows, which only a shell starts.
    const child = spawn(program, args, {
      stdio: 'inherit',
      env: { ...process.env, ...env },
      shell: process.platform === 'win32',
    });
    // The terminal sends Ctrl+C to both; it is the agent's to act on it. The rest is passed on.
    const ignore = (): void => {};
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
    process.on('SIGINT', ignore).on('SIGTERM', pass).on('SIGHUP', pass);
    const settle = (): void => void process.off('SIGINT', ignore).off('SIGTERM', pass).off('SIGHUP', pass);
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      settle();
      resolve(code ?? (signal === 'SIGINT' ? 130 : signal === 'SIGTERM' ? 143 : 129));
    });
  });
}
