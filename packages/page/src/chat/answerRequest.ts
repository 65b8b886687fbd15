import type { ChatRequest } from '@tandem/chat/model';
import type { ChatAnswerChoice, ChatHost } from './chatHost.js';
import { requestTitle } from './chatWords.js';
import type { PanelState } from './panelState.js';

/** Answers a request, and says where somebody else was first or the answer did not arrive. Never rejects. */
export async function answerRequest(
  host: ChatHost,
  panel: PanelState,
  request: ChatRequest,
  choice: ChatAnswerChoice,
): Promise<void> {
  panel.markAnswered(request.requestId);
  await panel.attempt('The answer was not sent', async () => {
    const result = await host.answer(request.requestId, choice);
    if (result === 'elsewhere')
      panel.showElsewhere({ requestId: request.requestId, title: requestTitle(request) });
  });
}
