import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from '../companionHost.js';
import type { ProtocolChannel } from '../outputChannels.js';
import type { ReviewViews } from '../reviews/reviewViews.js';

/** Registers the commands that are about Tandem itself. */
export function registerWindowCommands(of: {
  readonly host: CompanionHost;
  readonly views: ReviewViews;
  readonly channel: vscode.OutputChannel;
  readonly protocol: ProtocolChannel;
  /** Identifier of the extension. */
  readonly extension: string;
}): Disposable {
  const { host, views, channel, protocol, extension } = of;
  const { executeCommand } = vscode.commands;
  const commands: Readonly<Record<string, () => unknown>> = {
    showStatus: async () => (await import('../statusPick.js')).showStatusPick(host, views),
    pauseSharing: () => host.companion?.policy.pause(),
    resumeSharing: () => host.companion?.policy.resume(),
    deleteHistory: async () => (await import('./deleteHistory.js')).deleteHistory(host),
    restart: () => host.restart(),
    showLog: () => channel.show(true),
    showProtocol: () => protocol.show(),
    openSettings: () => executeCommand('workbench.action.openSettings', `@ext:${extension}`),
    openWalkthrough: () =>
      executeCommand('workbench.action.openWalkthrough', `${extension}#tandem.start`, false),
  };
  const store = new DisposableStore();
  for (const [name, run] of Object.entries(commands)) {
    store.add(vscode.commands.registerCommand(`tandem.${name}`, run));
  }
  return store;
}
