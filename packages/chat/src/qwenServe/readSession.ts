import type { DaemonSessionClient, DaemonSessionSummary } from '@qwen-code/sdk/daemon';
import { type ChatChoice, type ChatCommand, type ChatModel, emptyChat } from '../model/chatModel.js';
import { ChatDraft } from '../model/chatPatch.js';
import { setCommands } from '../model/reduceUpdate.js';
import { wireProviders, wireSessionState } from '../model/wire.js';
import type { SessionClient } from './sessionClient.js';

/** What a session's events report only the changes of. */
export interface SessionFacts {
  readonly parts: Partial<Pick<ChatModel, 'models' | 'modes' | 'commands'>>;
  readonly title?: string;
}

/** Reads a session's models, modes, commands and title. */
export async function readSession(session: SessionClient & Partial<Readers>): Promise<SessionFacts> {
  const [context, commands, status, providers] = await Promise.all([
    session.context?.(),
    session.supportedCommands?.(),
    session.status(),
    // Optional: older daemons do not have it.
    session.client?.workspaceProviders().catch(() => undefined),
  ]);
  const { models, modes } = wireSessionState.safeParse(context?.state).data ?? {};
  const title = status.displayName;
  return {
    parts: {
      ...(models !== undefined && {
        models: withImages(
          choices(models.currentModelId, models.availableModels, ({ modelId }) => modelId),
          providers,
        ),
      }),
      ...(modes !== undefined && {
        modes: choices(modes.currentModeId, modes.availableModes, ({ id }) => id),
      }),
      ...(commands !== undefined && { commands: toCommands(commands) }),
    },
    ...(title !== undefined && { title }),
  };
}

type Readers = Pick<DaemonSessionClient, 'context' | 'supportedCommands' | 'client'>;

/** Adds `takesImages` to the models for which the daemon reports it. */
function withImages(models: ChatModel['models'], providers: unknown): ChatModel['models'] {
  const listed = wireProviders.safeParse(providers).data?.providers.flatMap((each) => each.models) ?? [];
  const takesImages = new Map(
    listed.flatMap(({ modelId, modalities }) =>
      modalities === undefined ? [] : [[modelId, modalities.image === true] as const],
    ),
  );
  const available = models.available.map((model): ChatChoice => {
    const takes = takesImages.get(model.id);
    return takes === undefined ? model : { ...model, takesImages: takes };
  });
  return { ...models, available };
}

interface WireChoice {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
}

function choices<T extends WireChoice>(
  current: string | undefined,
  available: readonly T[],
  idOf: (choice: T) => string,
): ChatModel['models'] {
  const list = available.map((choice): ChatChoice => {
    const base = { id: idOf(choice), name: choice.name ?? idOf(choice) };
    return choice.description ? { ...base, description: choice.description } : base;
  });
  return current === undefined ? { available: list } : { current, available: list };
}

function toCommands(wire: unknown): readonly ChatCommand[] {
  const draft = new ChatDraft(emptyChat);
  setCommands(draft, wire);
  return draft.model.commands;
}

export interface ChatSessionSummary {
  readonly id: string;
  /** Its first prompt, or the name that a user gave it. */
  readonly title: string;
  /** Unix time in milliseconds. */
  readonly updatedAt?: number;
  readonly isRunning: boolean;
  /** A permission or a question is pending. */
  readonly isWaiting: boolean;
}

export function toSessionSummary(session: DaemonSessionSummary): ChatSessionSummary {
  const updatedAt = Date.parse(session.updatedAt ?? session.createdAt ?? '');
  return {
    id: session.sessionId,
    title: session.displayName ?? 'New chat',
    isRunning: session.hasActivePrompt ?? false,
    isWaiting: (session.isWaitingForPermission ?? false) || (session.isWaitingForUserQuestion ?? false),
    ...(!Number.isNaN(updatedAt) && { updatedAt }),
  };
}
