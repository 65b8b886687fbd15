import { dirname, join } from 'node:path';
import { isWithin } from '@tandem/core';
import {
  type AgentDiagnosis,
  allHooksDisabled,
  type Choice,
  type FoundAnnouncement,
  portIn,
  portOf,
  type Situation,
  settingAt,
} from '../agentDiagnosis.js';
import { lockFileNames, portVariable, readLockFile, tokenHeader } from '../claudeIde/lockFile.js';
import { claudeHome } from './discovery.js';

/** How Claude Code 2.1 looks for a companion. See PROTOCOL.md. */
export const diagnosis: AgentDiagnosis = {
  carrier: { kind: 'websocket', tokenHeader },
  variables: { port: portVariable, others: [] },
  deletesDeadFiles: true,
  lookingIn: (folder) => ({ name: 'CLAUDE_CONFIG_DIR', value: dirname(folder) }),
  places(machine) {
    const homes = new Set([claudeHome(machine), join(machine.home, '.claude')]);
    return [...homes].map((home) => ({
      folder: join(home, 'ide'),
      names: lockFileNames,
      isOwnFolder: true,
      isRead: true,
    }));
  },
  read: readLockFile,
  settingsFiles: (machine, cwd) => [
    join(claudeHome(machine), 'settings.json'),
    join(cwd, '.claude', 'settings.json'),
    join(cwd, '.claude', 'settings.local.json'),
  ],
  readSettings(layers) {
    const mode = settingAt(layers, 'permissions', 'defaultMode');
    return {
      // Without a setting, 2.1 starts in `auto`.
      opensDiffs: mode === 'default' || mode === 'plan',
      ...(typeof mode === 'string' && { mode }),
    };
  },
  managedSettings: (platform) =>
    platform === 'darwin'
      ? '/Library/Application Support/ClaudeCode/managed-settings.json'
      : '/etc/claude-code/managed-settings.json',
  hooksOff: (from) =>
    settingAt([from.managed], 'allowManagedHooksOnly') === true
      ? { cause: 'Its managed settings contain "allowManagedHooksOnly": true' }
      : allHooksDisabled(from),
  choose,
};

/**
 * Claude Code chooses the file with the port in the variable, otherwise the file whose folders contain the real path of
 * the current folder, compared as text. If several match, it chooses none.
 */
function choose(files: readonly FoundAnnouncement[], { cwd, env }: Situation): Choice {
  const wantedPort = portIn(env[portVariable]);
  const named = files.find(({ announcement }) => portOf(announcement) === wantedPort);
  if (named !== undefined) return { kind: 'file', path: named.path, isByItself: true, rivals: [] };
  // It first deletes the files of dead processes.
  const matching = files.filter(
    ({ announcement, isPidAlive }) =>
      isPidAlive && announcement.folders.some((folder) => isWithin(folder, cwd)),
  );
  const [only, ...others] = matching;
  if (only === undefined) return { kind: 'none' };
  if (others.length > 0) return { kind: 'ambiguous', paths: matching.map(({ path }) => path) };
  const isByItself = env.CLAUDE_CODE_AUTO_CONNECT_IDE === '1' || env.TERM_PROGRAM === 'vscode';
  return { kind: 'file', path: only.path, isByItself, rivals: [] };
}
