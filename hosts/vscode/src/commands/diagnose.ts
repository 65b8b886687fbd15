import type { DoctorReport, Finding, WindowCure } from '@tandem/companion/doctor';
import { type Disposable, DisposableStore, describeError } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from '../companionHost.js';
import { copyDiagnosisCommand, removeDeadCommand } from '../diagnosisCommands.js';
import { inform, showError, warn } from '../messages.js';

/** Registers the command that shows why agents do not connect to this window, and how to fix it. */
export function registerDiagnoseCommand(host: CompanionHost): Disposable {
  const store = new DisposableStore();
  let panel: vscode.WebviewPanel | undefined;
  let shown: Found | undefined;
  store.add({ dispose: () => panel?.dispose() });
  const show = async (fixes: boolean): Promise<void> => {
    const found = await look(host, fixes);
    if (found === undefined || store.isDisposed) return;
    panel ??= openPanel(found.commands, () => {
      panel = undefined;
    });
    shown = found;
    panel.webview.html = found.page();
    panel.reveal();
    if (found.report.findings.some(({ fix }) => fix.isAutomatic)) void offerFix(() => show(true));
  };
  store.add(vscode.commands.registerCommand('tandem.diagnose', () => show(false)));
  store.add(vscode.commands.registerCommand(removeDeadCommand, () => show(true)));
  store.add(
    vscode.commands.registerCommand(copyDiagnosisCommand, async (text?: unknown) => {
      if (shown === undefined) return;
      const copied = typeof text === 'string' ? text : shown.text();
      await vscode.env.clipboard.writeText(copied);
      const { t } = vscode.l10n;
      const words = typeof text === 'string' ? t('Copied {0}', text) : t('Copied the diagnosis');
      vscode.window.setStatusBarMessage(words, 3_000);
    }),
  );
  return store;
}

/** No script runs in it, it loads nothing, and its links run these commands only. */
function openPanel(enableCommandUris: readonly string[], onClosed: () => void): vscode.WebviewPanel {
  const panel = vscode.window.createWebviewPanel(
    'tandem.diagnosis',
    vscode.l10n.t('Tandem: Diagnosis'),
    vscode.ViewColumn.Active,
    { enableCommandUris, enableFindWidget: true, localResourceRoots: [] },
  );
  panel.onDidDispose(onClosed);
  return panel;
}

interface Found {
  readonly report: DoctorReport;
  /** The commands that the page can run. */
  readonly commands: readonly string[];
  readonly page: () => string;
  readonly text: () => string;
}

/** The doctor's report for a terminal of this window. */
async function look(host: CompanionHost, fixes: boolean): Promise<Found | undefined> {
  const { t } = vscode.l10n;
  const { companion } = host;
  const [folder] = companion?.editor.workspace.folders() ?? [];
  if (companion === undefined || folder === undefined) {
    const reason =
      companion === undefined ? t('Tandem is not running in this window.') : t('Open a folder first.');
    void warn(reason);
    return undefined;
  }
  const progress = { location: vscode.ProgressLocation.Window, title: t('Tandem is looking for problems') };
  try {
    return await vscode.window.withProgress(progress, async () => {
      // Not imported at the top, so that they do not delay the window.
      const { commandOnPath, diagnose, windowCure } = await import('@tandem/companion/doctor');
      const { thisMachine } = await import('@tandem/companion/control');
      const machine = thisMachine();
      const env = { ...machine.env, ...companion.agents.environment(), TERM_PROGRAM: 'vscode' };
      const report = await diagnose({ folder, fixes, machine: { ...machine, env } });
      const {
        diagnosisCommands: commands,
        diagnosisPage,
        diagnosisText,
      } = await import('../diagnosisPage.js');
      const command = await commandOnPath(machine);
      const cureOf = (finding: Finding): WindowCure => windowCure(finding, command);
      const page = (): string => diagnosisPage(report, cureOf);
      return { report, commands, page, text: () => diagnosisText(report, cureOf) };
    });
  } catch (error) {
    showError(t('The diagnosis failed: {0}', describeError(error)));
    return undefined;
  }
}

async function offerFix(fix: () => Promise<void>): Promise<void> {
  const { t } = vscode.l10n;
  const remove = t('Remove Files');
  const answer = await inform(t('Some discovery files belong to companions that no longer run.'), remove);
  if (answer === remove) await fix();
}
