import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { type ChatItem, type ChatModel, emptyChat } from '../model/chatModel.js';
import { ChatDraft } from '../model/chatPatch.js';
import { endOpenWork, reduceChat } from '../model/reduceChat.js';
import type { DaemonApi } from './daemonApi.js';
import type { ContentBlock } from './ideTypes.js';
import { turnEndOf } from './promptTurns.js';
import type { DaemonEvent, SessionClient } from './sessionClient.js';

type HistoryClient = SessionClient & Partial<Pick<DaemonSessionClient, 'consumeReplaySnapshot'>>;

/**
 * The chat of a session from the daemon's history. Keeps the connection and the choices of the chat `before`. Ends a turn
 * that the history leaves open and the daemon does not run.
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
 * Adds the items of a turn that was running when its daemon died, unless the new daemon's history contains them: the daemon
 * stores only complete answers.
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

interface SentPrompt {
  readonly sessionId: string;
  readonly promptId: string;
  readonly blocks: readonly ContentBlock[];
}

/** Accepted prompts whose turns have not ended: keeps what the user typed if the daemon loses it. */
export class SentPrompts {
  #prompts: readonly SentPrompt[] = [];

  add(prompt: SentPrompt): void {
    this.#prompts = [...this.#prompts, prompt];
  }

  /** Receives every event of the session. */
  handle(event: DaemonEvent): void {
    const ended = turnEndOf(event)?.promptId;
    if (ended !== undefined) this.end(ended);
  }

  end(ended: string): void {
    this.#prompts = this.#prompts.filter(({ promptId }) => promptId !== ended);
  }

  /** Adds the session's prompts that the chat does not contain. Returns whether there were any. */
  show(draft: ChatDraft): boolean {
    const unknown = this.#prompts.filter(
      (prompt) => isOf(prompt, draft.model) && !isKnown(prompt, draft.model),
    );
    for (const { promptId, blocks } of unknown) draft.add({ ...toMessage(blocks), promptId });
    return unknown.length > 0;
  }

  /** Drops the prompts of a session that runs none. */
  forget({ session, turn }: ChatModel): void {
    if (turn.state === 'idle') {
      this.#prompts = this.#prompts.filter(({ sessionId }) => sessionId !== session?.id);
    }
  }
}

function isOf({ sessionId }: SentPrompt, { session }: ChatModel): boolean {
  return sessionId === session?.id;
}

function isKnown({ promptId }: SentPrompt, { items, turn }: ChatModel): boolean {
  return [...items, ...turn.queued].some((each) => each.promptId === promptId);
}

function toMessage(blocks: readonly ContentBlock[]) {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const images = blocks.flatMap((block) =>
    block.type === 'image' ? [{ mimeType: block.mimeType, data: block.data }] : [],
  );
  return { kind: 'user' as const, text: texts.join('\n'), images };
}

/**
 * Rewinds a session to before one of its messages. Files stay unchanged. The daemon's turns have other ids than its prompts,
 * and messages that failed or were commands have no turn: a turn belongs to a message only if it began between that message
 * and the next one and has the same index. Returns false, without effect, if there is no such turn.
 *
 * @throws DaemonError
 */
export async function rewindBefore(
  api: DaemonApi,
  { sessionId, clientId }: Pick<SessionClient, 'sessionId' | 'clientId'>,
  items: readonly ChatItem[],
  promptId: string,
): Promise<boolean> {
  const messages = items.filter(({ kind }) => kind === 'user');
  const number = messages.findIndex((message) => message.promptId === promptId);
  const from = messages[number]?.at;
  if (from === undefined) return false;
  const to = messages[number + 1]?.at ?? Number.POSITIVE_INFINITY;
  const turns = (await api.rewindTurns(sessionId)).filter(({ at }) => at >= from && at < to);
  const [turn] = turns;
  if (turn === undefined || turns.length > 1 || turn.index !== number) return false;
  await api.rewind(sessionId, turn.id, clientId);
  return true;
}
