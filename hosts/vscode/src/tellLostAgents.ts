import type { LostAgent } from '@tandem/companion';
import type { Disposable } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from './companionHost.js';

/** Says which agents a restart has cut off, each kind once: what to do about it stays in the status. */
export function tellLostAgents(host: CompanionHost): Disposable {
  const told = new Set<string>();
  return host.onDidLoseAgent((lost) => {
    if (told.has(lost.agent)) return;
    told.add(lost.agent);
    void vscode.window.showInformationMessage(lostAgentText(lost));
  });
}

/** What to do about an agent that did not come back, in a sentence. */
function lostAgentText({ displayName, connect }: LostAgent): string {
  return vscode.l10n.t(
    '{0} did not come back after the restart. If it still runs, type {1} in it.',
    displayName,
    connect,
  );
}
