import { pathToFileURL } from 'node:url';
import type { ContentBlock } from '@tandem/chat';
import { DaemonError } from '@tandem/chat/setup';
import type { Path } from '@tandem/core';
import type { ChatMention, ChatPrompt, Handlers } from '@tandem/rpc';
import type { chatContract } from '@tandem/rpc/schemas';
import type { AgentId } from '../agents/agents.js';
import type { HeldBackFile } from '../agents/sharing.js';
import type { CompanionChat } from './companionChat.js';

/** The methods `chat.*` that a panel calls, for any transport. */
export function chatCalls(chat: CompanionChat, files: PromptFiles): Handlers<typeof chatContract> {
  return {
    'chat.start': () => chat.start(),
    'chat.reconnect': () => chat.reconnect(),
    'chat.disconnect': () => chat.disconnect(),
    'chat.send': async (prompt) => {
      const blocks = await promptBlocks(prompt, files);
      const { replaces } = prompt;
      const how = await chat.chat.send(blocks, replaces === undefined ? {} : { replaces });
      return { isRewound: how === 'rewound' };
    },
    'chat.retry': () => chat.chat.retry(),
    'chat.unqueue': async ({ id }) => ({
      isRemoved: (await chat.chat.removeQueued(id)) === 'removed',
    }),
    'chat.cancel': () => chat.chat.cancel(),
    'chat.setModel': ({ id }) => chat.chat.setModel(id),
    'chat.setMode': ({ id }) => chat.chat.setApprovalMode(id),
    'chat.new': () => chat.chat.newSession(),
    'chat.open': ({ id }) => chat.chat.openSession(id),
    'chat.sessions': async () => ({
      sessions: (await chat.chat.listSessions()).map((each) => ({ ...each })),
    }),
    'chat.answer': async ({ requestId, optionId, answers }) => {
      const answer = {
        ...(optionId !== undefined && { optionId }),
        ...(answers !== undefined && { answers }),
      };
      return { isElsewhere: (await chat.chat.answer(requestId, answer)) === 'elsewhere' };
    },
  };
}

/** The host's view of the files in a prompt. */
export interface PromptFiles {
  /** The path as agents spell it. Rejects, with a message for the user, if it is outside the workspace. */
  require(path: Path): Promise<Path>;
  /** For the user. */
  label(path: Path): string;
  /** For the agent: relative to the daemon's folder. */
  nameOf(path: Path): string;
  /** The text in the editor, including unsaved changes. Undefined if the file is not text. */
  textOf(path: Path): Promise<string | undefined>;
  heldBack(paths: readonly Path[]): Promise<ReadonlyMap<Path, HeldBackFile>>;
}

/** The agent whose sharing rules apply to the daemon. */
const agent: AgentId = 'qwen';

/**
 * A prompt as blocks for the daemon: the text, then the mentions. A mentioned file is sent as a link, which the agent reads;
 * a selection as its lines in the editor. Rejects with the host's error for a file outside the workspace, and with
 * `DaemonError` for a file that is hidden from the agent.
 */
export async function promptBlocks(prompt: ChatPrompt, files: PromptFiles): Promise<readonly ContentBlock[]> {
  const mentions = await Promise.all(
    prompt.mentions.map(async (mention) => ({ ...mention, path: await files.require(mention.path) })),
  );
  const held = await files.heldBack(mentions.map(({ path }) => path));
  for (const { path } of mentions) {
    const found = held.get(path)?.from.find((each) => each.agent === agent);
    if (found === undefined) continue;
    throw refusal(`${files.label(path)} is hidden from ${found.displayName}: ${found.reason}.`);
  }
  return [
    ...(prompt.text === '' ? [] : [{ type: 'text' as const, text: prompt.text }]),
    ...(await Promise.all(mentions.map((mention) => mentionBlock(mention, files)))),
    ...prompt.images.map(({ mimeType, data }) => ({ type: 'image' as const, mimeType, data })),
  ];
}

async function mentionBlock({ path, lines }: ChatMention, files: PromptFiles): Promise<ContentBlock> {
  const uri = pathToFileURL(path).href;
  if (lines === undefined) return { type: 'resource_link', uri, name: files.nameOf(path) };
  const whole = await files.textOf(path);
  if (whole === undefined) {
    throw refusal(`${files.label(path)} is binary, so its lines cannot be sent.`);
  }
  const text = whole
    .split('\n')
    .slice(lines.first, lines.last + 1)
    .join('\n');
  return {
    type: 'resource',
    resource: { uri: `${uri}#L${lines.first + 1}-L${lines.last + 1}`, text, mimeType: 'text/plain' },
  };
}

function refusal(message: string): DaemonError {
  return new DaemonError('request_failed', message);
}
