import { realpath } from 'node:fs/promises';
import type { Companion } from '@tandem/companion';
import { type AgentId, agentIds, descriptorOf, nameOfAgent, receivesOnly } from '@tandem/companion/agents';
import { exportLine, shellOf } from '@tandem/companion/shell';
import { type Disposable, DisposableStore, Turns } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from './companionHost.js';
import { inform, offerTrust, warn } from './messages.js';
import type { Settings } from './settings.js';
import type { TerminalEnvironment } from './terminalEnvironment.js';

/** The command of VS Code that starts an agent, such as `tandem.startClaude`. */
export function startCommandOf(agent: AgentId): string {
  return `tandem.start${agent.charAt(0).toUpperCase()}${agent.slice(1)}`;
}

/** Registers the commands that start an agent in a terminal of this window, where it finds the companion by itself. */
export function registerStartCommands(
  settings: () => Settings,
  environment: TerminalEnvironment,
): Disposable {
  const store = new DisposableStore();
  const commands = vscode.commands;
  const window = vscode.window;
  const start = async (agent: AgentId): Promise<void> => {
    if (!vscode.workspace.isTrusted) {
      void offerTrust(vscode.l10n.t('Tandem starts no agents in a workspace that is not trusted.'));
      return;
    }
    const terminal = window.createTerminal({
      name: nameOfAgent(agent),
      iconPath: new vscode.ThemeIcon('hubot'),
    });
    terminal.show();
    await environment.ready();
    terminal.sendText(settings().startCommand(agent));
  };
  for (const agent of agentIds) {
    store.add(commands.registerCommand(startCommandOf(agent), () => start(agent)));
  }
  store.add(
    commands.registerCommand('tandem.startAgent', async () => {
      const { agents, startCommand } = settings();
      const choices = agents.map((agent) => ({
        label: nameOfAgent(agent),
        description: [startCommand(agent), receivesOnly(descriptorOf(agent)) ?? []].flat().join(' · '),
        agent,
      }));
      const placeHolder = vscode.l10n.t('Choose an agent to start in a terminal');
      const chosen = await window.showQuickPick(choices, { placeHolder });
      if (chosen !== undefined) await start(chosen.agent);
    }),
  );
  return store;
}

/** Registers the command that copies what a terminal outside VS Code runs to find this window. */
export function registerConnectCommand(host: CompanionHost): Disposable {
  return vscode.commands.registerCommand('tandem.copyConnectCommand', async () => {
    const { companion } = host;
    if (companion === undefined) {
      void warn(vscode.l10n.t('Tandem is not running in this window.'));
      return;
    }
    const shell = shellOf(process.platform, vscode.env.shell);
    const lines = Object.entries(companion.agents.environment()).map(([name, value]) =>
      exportLine(shell, name, value),
    );
    await vscode.env.clipboard.writeText(lines.join('\n'));
    void inform(
      vscode.l10n.t(
        'Copied the connect command for {0}. Paste it in a terminal on this machine and start an agent there. It contains a secret. Do not share it.',
        shell,
      ),
    );
  });
}

/**
 * Makes agents find this window that start in a subfolder: passes the folder of each terminal to the companion, as far
 * as shell integration reports it.
 */
export function followTerminalFolders(host: CompanionHost): Disposable {
  const store = new DisposableStore();
  let served: Companion | undefined;
  let shown = new DisposableStore();
  let folders: readonly string[] = [];
  const turns = new Turns();
  const show = async (): Promise<void> => {
    const cwds = vscode.window.terminals.flatMap(
      ({ shellIntegration }) => shellIntegration?.cwd?.fsPath ?? [],
    );
    // Agents look for the real path of their folder.
    const found = await Promise.all(cwds.map((cwd) => realpath(cwd).catch(() => cwd)));
    const wanted = [...new Set(found)].sort();
    const { companion } = host;
    if (companion === served && wanted.join('\n') === folders.join('\n')) return;
    const before = shown;
    shown = new DisposableStore();
    for (const folder of wanted) if (companion !== undefined) shown.add(companion.startFolders.add(folder));
    // Only now: a folder that stays must not be missing in between.
    before.dispose();
    served = companion;
    folders = wanted;
  };
  // In turns: the folders of an earlier event must not replace those of a later one.
  const follow = (): Promise<void> => turns.run(show);
  const { window } = vscode;
  for (const on of [
    window.onDidChangeTerminalShellIntegration,
    window.onDidStartTerminalShellExecution,
    window.onDidCloseTerminal,
  ])
    store.add(on(() => void follow()));
  store.add(host.onDidChange(() => void follow()));
  store.add({ dispose: () => shown.dispose() });
  void follow();
  return store;
}
