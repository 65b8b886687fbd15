import { type AgentId, descriptorOf, nameOfAgent } from '@tandem/companion/agents';
import * as vscode from 'vscode';
import { inform } from './messages.js';
import { readSettings, settingsSection } from './settings.js';

const hintedKey = 'hintedAtOfficialCompanions';

/**
 * Reports once that two companions of one agent are installed: the agent connects to one of them, depending on which
 * starts first.
 */
export async function hintAtOfficialCompanions(memory: vscode.Memento): Promise<void> {
  const hinted = memory.get<readonly string[]>(hintedKey, []);
  const agents = readSettings().agents.filter(
    (agent) => !hinted.includes(agent) && vscode.extensions.getExtension(extensionOf(agent)) !== undefined,
  );
  if (agents.length === 0) return;
  await memory.update(hintedKey, [...hinted, ...agents]);
  const { t } = vscode.l10n;
  const names = agents.map(nameOfAgent).join(', ');
  const [show, leave] = [t('Show Vendor Extension'), t('Use Vendor Extension')];
  const answer = await inform(
    t(
      'Tandem and the companion made by the vendor of {0} are both installed. The agent connects to only one of them. Disable the one that you do not want.',
      names,
    ),
    show,
    leave,
  );
  if (answer === show) {
    const ids = agents.map((agent) => `@id:${extensionOf(agent)}`).join(' ');
    await vscode.commands.executeCommand('workbench.extensions.search', `@installed ${ids}`);
  }
  if (answer !== leave) return;
  const settings = vscode.workspace.getConfiguration(settingsSection);
  for (const agent of agents) {
    await settings.update(`agents.${agent}`, false, vscode.ConfigurationTarget.Global);
  }
}

/** The companion of the agent's vendor; empty if there is none. */
function extensionOf(agent: AgentId): string {
  return descriptorOf(agent).officialExtension ?? '';
}
