import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { release, type as systemType } from 'node:os';
import {
  type AgentDiagnosis,
  type AgentProtocol,
  defaultsFileOf,
  type FoundAnnouncement,
  type Machine,
  portIn,
} from '@tandem/agents';
import { errorCode, isWithin, type Path } from '@tandem/core';
import * as z from 'zod';
import { agentIds, agentProtocols } from '../agents/agents.js';
import { companionsFor } from '../control/companionsFor.js';
import type { CompanionStatus } from '../control/controlContract.js';
import {
  companionsFolder,
  type FoundCompanion,
  findCompanions,
  portVariable,
  registrationName,
} from '../control/findCompanions.js';
import { readBoundedFile } from '../files/boundedFile.js';
import { onDisk } from '../files/diskGate.js';
import { RefusedFileError } from '../files/refusedFileError.js';
import { writableByOthers } from '../hooks/defaultsFile.js';
import { installedHooks, startedHooks } from '../hooks/startedHooks.js';
import {
  type AgentFacts,
  type CompanionFacts,
  type DoctorFacts,
  type FileFacts,
  isAnswering,
  isFor,
  type RefusedSettings,
} from './doctorFacts.js';
import { readProgram } from './programs.js';
import {
  createProbe,
  type FileReader,
  parseJson,
  probeLimitMs,
  readFiles,
  readFolders,
  realPathOf,
} from './readFiles.js';

/** A larger file is not a settings file. */
const maxSettingsBytes = 1024 * 1024;

/**
 * Inspects the machine: files, processes, ports, programs, settings. Changes nothing. Rejects only on an internal
 * error.
 */
export async function gatherFacts(of: {
  readonly machine: Machine;
  readonly folder: Path;
  readonly command: string;
}): Promise<DoctorFacts> {
  const { machine, command } = of;
  const folder = await realPathOf(of.folder);
  const readers = readersOf();
  const probe = createProbe();
  const [running, node, files, agents] = await Promise.all([
    findCompanions(machine),
    readProgram('node', machine),
    Promise.all(readers.map((reader) => readFiles(reader, machine, probe))),
    Promise.all(agentIds.map((id) => readAgent(id, agentProtocols[id], machine, folder))),
  ]);
  const companions = await Promise.all(running.map((companion) => readCompanion(companion, folder)));
  const serving = companionsFor(running, folder, machine.env[portVariable]).at(-1)?.pid;
  const allFiles = files.flat();
  return {
    machine,
    command,
    folder,
    isWsl: isWsl(machine),
    node: node?.version,
    companions,
    serving: companions.find(({ pid }) => pid === serving),
    folders: readers.flatMap((reader) => readFolders(reader, machine)),
    files: allFiles,
    agents: agents.map((agent) => ({
      ...agent,
      choice: agent.diagnosis.choose(found(allFiles, agent), {
        cwd: folder,
        env: machine.env,
        platform: machine.platform,
      }),
    })),
  };
}

/** Everything that has discovery files: the agents and the command. */
export function readersOf(): readonly FileReader[] {
  const agents = agentIds.map((id) => ({ id, diagnosis: agentProtocols[id].diagnosis }));
  return [...agents, commandReader];
}

const registration = z.object({
  port: z.number(),
  token: z.string(),
  pid: z.number(),
  editor: z.string(),
  workspaceFolders: z.array(z.string()),
});

/** The files by which the command finds companions are treated as discovery files. */
const commandReader: FileReader = {
  id: 'tandem',
  diagnosis: {
    carrier: { kind: 'http' },
    places: (machine) => [
      { folder: companionsFolder(machine), names: registrationName, isOwnFolder: true, isRead: true },
    ],
    read(_name, content) {
      const parsed = registration.safeParse(content);
      if (!parsed.success || portIn(parsed.data.port) === undefined) return undefined;
      const { port, token, pid, editor, workspaceFolders } = parsed.data;
      return { address: { port }, token, pid, folders: workspaceFolders, ideName: editor, opensGate: true };
    },
  },
};

async function readCompanion(found: FoundCompanion, folder: Path): Promise<CompanionFacts> {
  const { pid, version, editor, workspaceFolders: folders } = found;
  const servesFolder = folders.some((each) => isWithin(each, folder));
  return { pid, version, editor, folders, servesFolder, status: await statusOf(found) };
}

async function statusOf({ client }: FoundCompanion): Promise<CompanionStatus | undefined> {
  try {
    return await client.call('status', {});
  } catch {
    // The companion may stop at this moment.
    return undefined;
  }
}

async function readAgent(
  id: string,
  { descriptor, diagnosis, hookFile }: AgentProtocol,
  machine: Machine,
  folder: Path,
): Promise<Omit<AgentFacts, 'choice'>> {
  const { socket } = diagnosis;
  const path = socket?.path(machine);
  const [program, probe] = await Promise.all([
    readProgram(descriptor.program, machine, folder),
    path === undefined ? undefined : socket?.probe(path, folder, probeLimitMs),
  ]);
  const files = await Promise.all(diagnosis.settingsFiles(machine, folder).map(readSettings));
  const layers = files.flatMap(({ settings }) => (settings === undefined ? [] : [settings]));
  const file = hookFile?.(machine);
  const hookSettings: SettingsFile | undefined = file === undefined ? undefined : await readSettings(file);
  const started = startedHooks(hookSettings?.text ?? '');
  const missingHook = await findMissing(started.map(({ program }) => program));
  const managedFile = diagnosis.managedSettings?.(machine.platform);
  const managed = managedFile === undefined ? undefined : await readSettings(managedFile);
  const hooksOff = await diagnosis.hooksOff?.({
    layers,
    texts: files.flatMap(({ text }) => text ?? []),
    managed: managed?.settings,
    env: machine.env,
    installed: installedHooks(hookSettings?.settings),
  });
  const read = diagnosis.settingsFiles(machine, folder).filter((_path, at) => files[at]?.isThere);
  return {
    id,
    displayName: descriptor.displayName,
    descriptor,
    diagnosis,
    program,
    settings: diagnosis.readSettings(layers, program?.version, machine.env),
    refusedSettings: files.flatMap(({ refused }) => refused ?? []),
    skippedDefaults: skippedDefaults(diagnosis, machine),
    isHookInstalled: started.length > 0,
    ...(missingHook !== undefined && { missingHook }),
    ...(file !== undefined && started.some(({ isEarlier }) => isEarlier) && { earlierHook: file }),
    ...(hooksOff !== undefined && {
      hooksOff: {
        ...hooksOff,
        files: [...read, ...(managedFile !== undefined && managed?.isThere ? [managedFile] : [])],
      },
    }),
    ...(path !== undefined && probe && { socket: { path, probe } }),
    isUsed: program !== undefined || files.some(({ isThere }) => isThere),
  };
}

/** The file of defaults of this machine, if the agent does not trust it. */
function skippedDefaults({ defaults }: AgentDiagnosis, machine: Machine): AgentFacts['skippedDefaults'] {
  const file = defaults?.isOnlyOfRoot ? defaultsFileOf(defaults, machine) : undefined;
  if (file === undefined || machine.platform === 'win32' || !existsSync(file)) return undefined;
  const place = writableByOthers(file);
  return place === undefined ? undefined : { file, place };
}

async function findMissing(paths: readonly Path[]): Promise<Path | undefined> {
  for (const path of paths) {
    const isThere = onDisk(path, () => access(path)).then(
      () => true,
      (error) => !isMissing(error),
    );
    if (!(await isThere)) return path;
  }
  return undefined;
}

interface SettingsFile {
  readonly isThere: boolean;
  readonly text?: string;
  readonly settings?: unknown;
  readonly refused?: RefusedSettings;
}

/** Gemini CLI and Qwen Code allow comments in their settings. Only comments on lines of their own are supported. */
async function readSettings(path: Path): Promise<SettingsFile> {
  try {
    const text = (await readBoundedFile(path, { maxBytes: maxSettingsBytes })).bytes.toString('utf8');
    const settings = parseJson(text) ?? parseJson(text.replace(/^[^\S\n]*\/\/.*$/gm, ''));
    return { isThere: true, text, settings };
  } catch (error) {
    if (error instanceof RefusedFileError) {
      const { reason, why } = error;
      return { isThere: true, refused: { path, reason, why } };
    }
    return { isThere: !isMissing(error) };
  }
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function found(
  files: readonly FileFacts[],
  agent: Pick<AgentFacts, 'id' | 'descriptor'>,
): FoundAnnouncement[] {
  return files.flatMap((file) => {
    const { announced, path, modifiedAt, place } = file;
    if (!isFor(file, agent) || announced === undefined) return [];
    const { announcement, realFolders, isPidAlive } = announced;
    const { isRead } = place;
    return [
      { path, modifiedAt, announcement, realFolders, isPidAlive, isRead, isAnswering: isAnswering(file) },
    ];
  });
}

function isWsl({ platform, env }: Machine): boolean {
  if (platform !== 'linux') return false;
  return env.WSL_DISTRO_NAME !== undefined || (systemType() === 'Linux' && /microsoft/i.test(release()));
}
