import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import type { SessionClient } from '../connection/sessionClient.js';
import type { ChatChoice, ChatCommand, ChatModel } from '../model/chatModel.js';
import { emptyChat } from '../model/chatModel.js';
import { ChatDraft } from '../model/chatPatch.js';
import { setCommands } from '../model/reduceUpdate.js';
import { wireProviders, wireSessionState } from '../model/wire.js';

/** What a session is asked for, because its events tell only the changes. */
export interface SessionFacts {
  readonly parts: Partial<Pick<ChatModel, 'models' | 'modes' | 'commands'>>;
  readonly title?: string;
}

/** Asks a session for its models, modes and commands. */
export async function readSession(session: SessionClient & Partial<Readers>): Promise<SessionFacts> {
  const [context, commands, status, providers] = await Promise.all([
    session.context?.(),
    session.supportedCommands?.(),
    session.status(),
    // The chat works without, and an older daemon does not know it.
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

/** The models, each with whether it takes pictures where the daemon says so. */
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
