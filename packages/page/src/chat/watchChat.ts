import type { ChatModel } from '@tandem/chat/model';
import type { ChatHost } from './chatHost.js';
import { askWords, requestTitle } from './chatWords.js';
import type { PanelState } from './panelState.js';

/**
 * Announces events of the chat and detects answers of other clients. Call once for a panel, shown or not. Returns a function
 * that stops it.
 */
export function watchChat(host: Pick<ChatHost, 'state' | 'onDidChange'>, panel: PanelState): () => void {
  let before = host.state.model;
  return host.onDidChange(() => {
    const { model } = host.state;
    if (model === before) return;
    const last = before;
    before = model;
    if (last.session?.id !== model.session?.id) return panel.clearAnnouncement();
    // The last announcement is about the previous turn.
    if (last.turn.state === 'idle' && model.turn.state !== 'idle') panel.clearAnnouncement();
    reportRequests(last, model);
    reportTurn(last, model);
  });

  function reportRequests(last: ChatModel, model: ChatModel): void {
    if (last.pending === model.pending) return;
    for (const request of model.pending) {
      if (!last.pending.some(({ requestId }) => requestId === request.requestId))
        panel.announce(askWords(request));
    }
    for (const request of last.pending) {
      if (model.pending.some(({ requestId }) => requestId === request.requestId)) continue;
      panel.clearAnnouncement(askWords(request));
      if (panel.values.answered.has(request.requestId) || request.kind === 'refused') continue;
      // The end of a turn withdraws its requests without an answer.
      const card = model.items.findLast(
        (item) => item.kind === 'tool' && item.toolCallId === request.toolCallId,
      );
      if (card?.kind === 'tool' ? card.decision !== undefined : model.turn.state === 'running') {
        panel.showElsewhere({ requestId: request.requestId, title: requestTitle(request) });
      } else panel.announce('The question was withdrawn.');
    }
  }

  function reportTurn(last: ChatModel, model: ChatModel): void {
    if (last.turn.state === 'idle' || model.turn.state !== 'idle') return;
    const end = model.items.at(-1);
    if (end?.kind === 'error') panel.announce(`The answer failed: ${end.text}`);
    else if (end?.kind === 'notice') panel.announce(end.text);
    else panel.announce('Qwen has answered.');
  }
}
