import { nameOfAgent } from '@tandem/companion/agents';
import { type Disposable, DisposableStore, visibleName } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from './companionHost.js';
import { contextKey } from './contextKeys.js';
import type { ReviewViews } from './reviews/reviewViews.js';

/** Whether the palette lists the command to pause or the command to resume sharing. */
const pausedContext = 'tandem.isSharingPaused';

/** The item in the status bar: which agents are connected, how many reviews are pending, whether sharing is paused. */
export function showStatusItem(host: CompanionHost, views: ReviewViews): Disposable {
  const store = new DisposableStore();
  const item = store.add(
    vscode.window.createStatusBarItem('tandem.status', vscode.StatusBarAlignment.Right, 100),
  );
  item.name = 'Tandem';
  item.command = 'tandem.showStatus';
  const setPaused = contextKey(pausedContext);
  const update = (): void => {
    setPaused(host.companion?.policy.isPaused === true);
    const { text, tooltip, isUrgent } = describe(host, views);
    item.text = text;
    item.tooltip = tooltip;
    // Screen readers do not read icons.
    item.accessibilityInformation = { label: `Tandem: ${tooltip.replaceAll('\n', ', ')}`, role: 'button' };
    item.backgroundColor = isUrgent ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  };
  store.add(host.onDidChange(update));
  store.add(views.onDidChange(update));
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(update));
  update();
  item.show();
  return store;
}

function describe(
  host: CompanionHost,
  views: ReviewViews,
): { readonly text: string; readonly tooltip: string; readonly isUrgent: boolean } {
  const { t } = vscode.l10n;
  const { state } = host;
  if (state.kind === 'failed') {
    return {
      text: '$(warning) Tandem',
      tooltip: t('Tandem could not start: {0}', visibleName(state.message)),
      isUrgent: true,
    };
  }
  if (state.kind !== 'running') {
    return { text: '$(sync~spin) Tandem', tooltip: t('Tandem is starting'), isUrgent: false };
  }
  const { companion } = state;
  const agents = companion.agents.sessions.flatMap(({ agent, isAway }) =>
    isAway ? [] : [nameOfAgent(agent)],
  );
  const reviews = views.all.length;
  const { isPaused } = companion.policy;
  const hasFolder = companion.editor.workspace.folders().length > 0;
  const lines = [
    ...(hasFolder ? [] : [t('Open a folder, so that agents can find this window')]),
    agents.length === 0 ? t('No agent is connected') : t('Connected: {0}', agents.join(', ')),
    ...(reviews === 0 ? [] : [reviews === 1 ? t('1 pending review') : t('{0} pending reviews', reviews)]),
    ...(isPaused ? [t('Sharing is paused')] : []),
  ];
  const icon = isPaused ? '$(eye-closed)' : hasFolder ? '$(link)' : '$(debug-disconnect)';
  const count = agents.length === 0 ? 'Tandem' : String(agents.length);
  const pending = reviews === 0 ? '' : ` $(git-pull-request) ${reviews}`;
  const paused = isPaused ? ` ${t('paused')}` : '';
  return { text: `${icon} ${count}${paused}${pending}`, tooltip: lines.join('\n'), isUrgent: reviews > 0 };
}
