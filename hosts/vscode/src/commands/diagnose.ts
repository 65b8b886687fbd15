import type { DoctorReport } from '@tandem/companion/doctor';
import { type Disposable, DisposableStore, describeError } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from '../companionHost.js';
import { diagnosisText } from '../diagnosisText.js';
import { inform, tellError, warn } from '../say.js';
import { environmentOf } from '../terminalEnvironment.js';

const scheme = 'tandem-diagnosis';
const document = vscode.Uri.from({ scheme, path: '/Tandem: Diagnosis.md' });

/** Registers the command that says why agents do not connect to this window, in a document that nobody can edit. */
export function registerDiagnoseCommand(host: CompanionHost): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new vscode.EventEmitter<vscode.Uri>());
  let text = '';
  store.add(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: changed.event,
      provideTextDocumentContent: () => text,
    }),
  );
  const show = async (fixes: boolean): Promise<void> => {
    const report = await look(host, fixes);
    if (report === undefined) return;
    text = diagnosisText(report);
    changed.fire(document);
    await vscode.commands.executeCommand('markdown.showPreview', document);
    if (report.findings.some(({ fix }) => fix.isAutomatic)) void offerFix(() => show(true));
  };
  store.add(vscode.commands.registerCommand('tandem.diagnose', () => show(false)));
  return store;
}

/** What the doctor finds for a terminal of this window. */
async function look(host: CompanionHost, fixes: boolean): Promise<DoctorReport | undefined> {
  const { t } = vscode.l10n;
  const { companion } = host;
  const [folder] = companion?.editor.workspace.folders() ?? [];
  if (companion === undefined || folder === undefined) {
    const reason =
      companion === undefined ? t('Tandem does not run in this window.') : t('Open a folder first.');
    void warn(reason);
    return undefined;
  }
  const progress = { location: vscode.ProgressLocation.Window, title: t('Tandem looks for what is wrong') };
  try {
    return await vscode.window.withProgress(progress, async () => {
      // Loaded since the companion runs; here and not at the top, because the window is not to wait for it.
      const { diagnose, thisMachine } = await import('@tandem/companion');
      const machine = thisMachine();
      const env = { ...machine.env, ...environmentOf(companion), TERM_PROGRAM: 'vscode' };
      return await diagnose({ folder, fixes, machine: { ...machine, env } });
    });
  } catch (error) {
    tellError(t('The diagnosis failed: {0}', describeError(error)));
    return undefined;
  }
}

async function offerFix(fix: () => Promise<void>): Promise<void> {
  const { t } = vscode.l10n;
  const remove = t('Remove Them');
  const answer = await inform(
    t('Companions that are gone have left discovery files. Nobody is behind them any more.'),
    remove,
  );
  if (answer === remove) await fix();
}
