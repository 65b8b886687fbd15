import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { HistoryLimits } from '@tandem/companion';
import { type AgentId, agentIds, descriptorOf, startWords } from '@tandem/companion/agents';
import { defaultDenyList, type Logger } from '@tandem/core';
import type { HookMode, WhenClosed } from '@tandem/reviews';
import * as vscode from 'vscode';

/** The settings, as the manifest declares them. */
export interface Settings {
  readonly agents: readonly AgentId[];
  /** The whole deny list: the built-in one, then the patterns of the settings. */
  readonly denyList: readonly string[];
  readonly respectsGitignore: boolean;
  readonly startsPaused: boolean;
  /** Whether to look at the files around the commands of agents. */
  readonly seesChanges: boolean;
  /** Claude Code's folder, if it differs from that of the environment. */
  readonly claudeConfigDir: string | undefined;
  readonly historyLimits: Partial<HistoryLimits>;
  readonly takesFocus: boolean;
  readonly opensAccepted: boolean;
  readonly whenClosed: WhenClosed;
  /** Which edits of agents that are started in terminals wait. */
  readonly hooks: HookMode;
  /** The command that starts an agent. */
  readonly startCommand: (agent: AgentId) => string;
}

/** The section of all settings. */
export const settingsSection = 'tandem';

/** Reads the settings. A value of the wrong kind counts as not set. */
export function readSettings(): Settings {
  const settings = vscode.workspace.getConfiguration(settingsSection);
  const closing = settings.get('reviews.whenClosed');
  const hooks = settings.get('hooks');
  const commands = settings.get<Record<string, unknown>>('startCommands') ?? {};
  const commandOf = (agent: AgentId): string => {
    const command = commands[agent];
    if (typeof command === 'string' && command.trim() !== '') return command;
    return startWords(descriptorOf(agent)).join(' ');
  };
  const days = numberIn(settings.get('history.days'), 0);
  const entries = numberIn(settings.get('history.reviews'), 1);
  return {
    agents: agentIds.filter((agent) => settings.get(`agents.${agent}`) !== false),
    denyList: denyListOf(settings),
    respectsGitignore: isOnAnywhere(settings, 'sharing.respectGitignore'),
    claudeConfigDir: folderIn(settings.get('claudeConfigDir')),
    seesChanges: settings.get('history.commands') !== false,
    startsPaused: isOnAnywhere(settings, 'sharing.startPaused'),
    historyLimits: { ...(days !== undefined && { days }), ...(entries !== undefined && { entries }) },
    takesFocus: settings.get('reviews.takeFocus') === true,
    opensAccepted: settings.get('reviews.openAccepted') !== false,
    whenClosed: closing === 'ask' || closing === 'keep' ? closing : 'reject',
    hooks: hooks === 'before' || hooks === 'after' || hooks === 'off' ? hooks : 'follow',
    startCommand: commandOf,
  };
}

/** Logs settings that have no effect, with the reason. */
export function warnOfIgnoredSettings(logger: Logger): void {
  const value: unknown = vscode.workspace.getConfiguration(settingsSection).get('claudeConfigDir');
  const isSet = typeof value === 'string' && value.trim() !== '';
  if (!isSet || folderIn(value) !== undefined) return;
  logger.warn('tandem.claudeConfigDir is ignored: give an absolute path, or one that begins with ~/', {
    value,
  });
}

/**
 * A folder's settings can hide more files, but cannot share files that the built-in list or the user hides,
 * because others may have written them.
 */
function denyListOf(settings: vscode.WorkspaceConfiguration): string[] {
  const { globalValue, workspaceValue, workspaceFolderValue } = settings.inspect('sharing.denyList') ?? {};
  const ofFolder = [...stringsIn(workspaceValue), ...stringsIn(workspaceFolderValue)];
  const isAdding = (pattern: string): boolean => !pattern.startsWith('!');
  return [...defaultDenyList, ...ofFolder.filter(isAdding), ...stringsIn(globalValue)];
}

/** Whether the user or the folder switches it on; neither can override the other with off. */
function isOnAnywhere(settings: vscode.WorkspaceConfiguration, name: string): boolean {
  const { globalValue, workspaceValue, workspaceFolderValue } = settings.inspect(name) ?? {};
  return [globalValue, workspaceValue, workspaceFolderValue].includes(true);
}

function numberIn(value: unknown, least: number): number | undefined {
  return typeof value === 'number' && value >= least ? Math.floor(value) : undefined;
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** The folder in a setting: an absolute path, or one below the user's home. Undefined for everything else. */
function folderIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const path = value.trim().replace(/^~(?=$|[\\/])/, () => homedir());
  return isAbsolute(path) ? join(path) : undefined;
}

/** When a permission or a question of the chat opens a quick pick by itself. */
type PicksShown = 'whenChatHasFocus' | 'always' | 'never';

/** The settings of the chat, as the manifest declares them. */
interface ChatSettings {
  /** The address of the daemon to connect to. Absent when none is set. */
  readonly url?: string;
  /** The program of a daemon, and its arguments before `serve`. */
  readonly command: readonly string[];
  readonly picksShown: PicksShown;
}

/** Reads the settings. A value of the wrong kind counts as not set. */
export function readChatSettings(): ChatSettings {
  const settings = vscode.workspace.getConfiguration(settingsSection);
  const url = settings.get('daemon.url');
  const command: unknown = settings.get('daemon.command');
  const words = Array.isArray(command) ? command.filter((word) => typeof word === 'string') : [];
  const shown = settings.get('chat.quickPicks');
  return {
    ...(typeof url === 'string' && url.trim() !== '' && { url: url.trim() }),
    command: words.length > 0 ? words : ['qwen'],
    picksShown: shown === 'always' || shown === 'never' ? shown : 'whenChatHasFocus',
  };
}
