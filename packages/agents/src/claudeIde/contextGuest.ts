import { join } from 'node:path';
import { isWithin } from '@tandem/core';
import type { AgentDescriptor } from '../agentDescriptor.js';
import type { AgentDiagnosis } from '../agentDiagnosis.js';
import type { AgentDefinition, AgentProtocol } from '../agentProtocol.js';
import { lockFileNames, portEnvironment, portVariable, readLockFile, tokenHeader } from './lockFile.js';
import { denyingSettings } from './permissionDenyPatterns.js';

/** What distinguishes opencode and its forks. */
interface ContextGuest
  extends Pick<AgentDescriptor, 'id' | 'displayName' | 'install' | 'testedVersions' | 'color'> {
  /** The variable in which it expects the port of its own editor. */
  readonly portVariable: string;
  /** The variable with which a configuration is added to the user's. */
  readonly configVariable: string;
  /** Matches the name of its process; absent: see `WebSocketMcpGuest`. */
  readonly process?: RegExp;
}

/**
 * An agent that connects to Claude Code's endpoint through its lock file, and receives the context and mentions only. See
 * opencode/PROTOCOL.md.
 */
export function contextGuest({
  portVariable: ownPortVariable,
  configVariable,
  process,
  ...facts
}: ContextGuest): AgentProtocol {
  const { id } = facts;
  const definition: AgentDefinition = {
    descriptor: {
      ...facts,
      program: id,
      askingFlags: [],
      remembersConnect: false,
      splitsFolders: false,
      mark: 'square',
      connectsThrough: 'claude',
      secretFiles: [`.local/share/${id}/auth.json`, `.local/share/${id}/mcp-auth.json`],
      trustedFiles: [`.${id}/`, `.config/${id}/`, `${id}.json`, `${id}.jsonc`],
      writing: { keepsBom: true },
      supports: {
        discovery: 'by itself',
        openFiles: 'the active one',
        selection: 'selection',
        review: 'if Tandem starts it',
        acceptInTerminal: 'no, it then asks only here',
        emptyFile: 'yes',
        mention: 'yes',
        together: 'yes',
      },
    },
    // Kilo CLI's, for both: where processes have no names, it is served as opencode. Claude Code's, because any program with
    // its token may connect as a guest.
    identity: { id, ignoreFiles: [{ name: '.kilocodeignore' }, ...denyingSettings] },
    discovery: { files: () => [], environment: ({ port }) => portEnvironment(port) },
    diagnosis: guestDiagnosis(ownPortVariable, `${id.toUpperCase()}_PURE`),
    hooks: async () => (await import('./hooks.js')).guestHooks(id, configVariable),
    hookFile: ({ env, home }) =>
      join(env.XDG_CONFIG_HOME || join(home, '.config'), id, 'plugin', 'tandem.js'),
  };
  return {
    ...definition,
    async start(host) {
      const { serveContextGuest } = await import('./serve.js');
      return serveContextGuest(definition, host, process);
    },
  };
}

function guestDiagnosis(ownPortVariable: string, pureVariable: string): AgentDiagnosis {
  return {
    carrier: { kind: 'websocket', tokenHeader },
    deletesDeadFiles: false,
    lookingIn: (folder) => ({ name: 'HOME', value: join(folder, '..', '..') }),
    // Those of Claude Code are enough.
    places: () => [],
    read: readLockFile,
    settingsFiles: () => [],
    readSettings: () => ({ opensDiffs: true }),
    hooksOff: ({ env }) =>
      /^(1|true)$/i.test(env[pureVariable] ?? '')
        ? { cause: `This shell sets ${pureVariable}, so it loads no plugin`, variable: pureVariable }
        : undefined,
    /** The deepest folder around the current one, as text; then the newest file. It probes nothing. */
    choose(files, { cwd, env }) {
      const tokenless = [portVariable, ownPortVariable].find((name) => env[name]);
      const port = Number.parseInt((tokenless && env[tokenless]) ?? '', 10);
      if (tokenless !== undefined && port > 0 && port <= 65_535)
        return { kind: 'environment', port, tokenless };
      const matching = files
        .map((file) => {
          const around = file.announcement.folders.filter((folder) => isWithin(folder, cwd));
          return { ...file, depth: Math.max(0, ...around.map(({ length }) => length)) };
        })
        .filter(({ path, depth }) => depth > 0 && inHome.test(path))
        .toSorted((one, other) => other.depth - one.depth || other.modifiedAt - one.modifiedAt);
      const [first, ...others] = matching;
      if (first === undefined) return { kind: 'none' };
      const rivals = others.filter(({ depth, isAnswering }) => isAnswering && depth === first.depth);
      return { kind: 'file', path: first.path, isByItself: true, rivals: rivals.map(({ path }) => path) };
    },
  };
}

/** It does not read `CLAUDE_CONFIG_DIR`. */
const inHome = new RegExp(`[\\\\/]\\.claude[\\\\/]ide[\\\\/]${lockFileNames.source.slice(1)}`);
