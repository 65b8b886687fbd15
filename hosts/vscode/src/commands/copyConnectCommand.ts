import { exportLine, shellOf } from '@tandem/companion/shell';
import type { Disposable } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from '../companionHost.js';
import { inform, warn } from '../say.js';
import { environmentOf } from '../terminalEnvironment.js';

/** Registers the command that copies what a terminal outside VS Code must run to find this window. */
export function registerConnectCommand(host: CompanionHost): Disposable {
  return vscode.commands.registerCommand('tandem.copyConnectCommand', async () => {
    const { companion } = host;
    if (companion === undefined) {
      void warn(vscode.l10n.t('Tandem is not running in this window.'));
      return;
    }
    const shell = shellOf(process.platform, vscode.env.shell);
    const lines = Object.entries(environmentOf(companion)).map(([name, value]) =>
      exportLine(shell, name, value),
    );
    await vscode.env.clipboard.writeText(lines.join('\n'));
    void inform(
      vscode.l10n.t(
        'Copied for {0}. Paste it in a terminal on this machine and start an agent there. It contains a secret. Do not share it.',
        shell,
      ),
    );
  });
}
