import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import type { SessionClient } from '../connection/sessionClient.js';
import { type ChatItem, type ChatModel, emptyChat } from '../model/chatModel.js';
import { ChatDraft } from '../model/chatPatch.js';
import { endOpenWork, reduceChat } from '../model/reduceChat.js';

type HistoryClient = SessionClient & Partial<Pick<DaemonSessionClient, 'consumeReplaySnapshot'>>;

/**
 * The chat of a session as the daemon tells its past. `before` is what was shown until now, whose connection and choices
 * stay. A turn that the history leaves open and the daemon does not run is over.
 */
export function chatOfHistory(
  session: HistoryClient,
  before: ChatModel,
  ownIds: ReadonlySet<string>,
): ChatModel {
  const { compactedReplay = [], liveJournal = [] } = session.consumeReplaySnapshot?.() ?? {};
  const { connection, models, modes, commands } = before;
  const title = before.session?.id === session.sessionId ? before.session.title : undefined;
  const empty: ChatModel = {
    ...emptyChat,
    connection,
    models,
    modes,
    commands,
    session: {
      id: session.sessionId,
      folder: session.workspaceCwd,
      ...(title !== undefined && { title }),
    },
  };
  const { model } = reduceChat(empty, [...compactedReplay, ...liveJournal], ownIds);
  if (session.hasActivePrompt || model.turn.state === 'idle') return model;
  const draft = new ChatDraft(model);
  endOpenWork(draft);
  draft.set({ turn: { state: 'idle', queued: [] } });
  return draft.model;
}

/**
 * Shows what a turn had said when its daemon died, after the history of the daemon that came instead: an answer is
 * written down only when it is complete. What the history has is not shown twice.
 */
export function keepLostTurn(draft: ChatDraft, before: ChatModel): void {
  const start = before.items.findLastIndex((item) => item.kind === 'user');
  const prompt = before.items[start];
  const known = draft.model.items.findLastIndex((item) => item.kind === 'user');
  const isKnown = prompt?.promptId !== undefined && draft.model.items[known]?.promptId === prompt.promptId;
  const there = isKnown ? draft.model.items.slice(known) : [];
  for (const item of before.items.slice(Math.max(start, 0))) {
    if (there.some((each) => isSame(each, item))) continue;
    const { id: _place, ...rest } = item;
    draft.add(rest);
  }
  endOpenWork(draft);
}

function isSame(one: ChatItem, other: ChatItem): boolean {
  if (one.kind === 'tool') return other.kind === 'tool' && one.toolCallId === other.toolCallId;
  return other.kind !== 'tool' && one.kind === other.kind && one.text === other.text;
}
