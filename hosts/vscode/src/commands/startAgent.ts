import type { AgentId } from '@tandem/companion';
import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import { offerTrust } from '../manageTrust.js';
import { agentNames, isAgentId, type Settings } from '../settings.js';

/** Registers the commands that start an agent in a terminal of this window, where it finds the companion by itself. */
export function registerStartCommands(settings: () => Settings): Disposable {
  const store = new DisposableStore();
  const commands = vscode.commands;
  const window = vscode.window;
  const start = (agent: AgentId): void => {
    if (!vscode.workspace.isTrusted) {
      void offerTrust(vscode.l10n.t('Tandem starts no agent in a workspace that you do not trust.'));
      return;
    }
    const terminal = window.createTerminal({
      name: agentNames[agent],
      iconPath: new vscode.ThemeIcon('hubot'),
    });
    terminal.show();
    terminal.sendText(settings().startCommands[agent]);
  };
  for (const agent of Object.keys(agentNames).filter(isAgentId)) {
    const name = `${agent.charAt(0).toUpperCase()}${agent.slice(1)}`;
    store.add(commands.registerCommand(`tandem.start${name}`, () => start(agent)));
  }
  store.add(
    commands.registerCommand('tandem.startAgent', async () => {
      const { agents, startCommands } = settings();
      const choices = agents.map((agent) => ({
        label: agentNames[agent],
        description: startCommands[agent],
        agent,
      }));
      const placeHolder = vscode.l10n.t('Which agent shall start in a terminal?');
      const chosen = await window.showQuickPick(choices, { placeHolder });
      if (chosen !== undefined) start(chosen.agent);
    }),
  );
  return store;
}
