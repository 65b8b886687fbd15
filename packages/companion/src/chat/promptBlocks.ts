import { pathToFileURL } from 'node:url';
import type { ContentBlock } from '@tandem/chat';
import { DaemonError } from '@tandem/chat/setup';
import type { Path } from '@tandem/core';
import type { AgentId } from '../agents.js';
import type { HeldBackFile } from '../heldBackFiles.js';

/** A file that a prompt names, or some of its lines, counted from 0 and inclusive. */
interface PromptMention {
  readonly path: Path;
  readonly lines?: { readonly first: number; readonly last: number } | undefined;
}

/** What a person sends: their words, and what goes along. */
export interface ChatPrompt {
  readonly text: string;
  readonly mentions: readonly PromptMention[];
  readonly images: readonly { readonly mimeType: string; readonly data: string }[];
  /** The `promptId` of the message that it takes the place of. */
  readonly replaces?: string | undefined;
}

/** The files that a prompt can name, as the host knows them. */
export interface PromptFiles {
  /** The path as agents spell it. Rejects with words for the person when it lies outside of the workspace. */
  require(path: Path): Promise<Path>;
  /** As a person reads it. */
  label(path: Path): string;
  /** As the agent knows it: below the daemon's folder. */
  nameOf(path: Path): string;
  /** The text that the person sees, with what is unsaved in it. Undefined for what is no text. */
  textOf(path: Path): Promise<string | undefined>;
  heldBack(paths: readonly Path[]): Promise<ReadonlyMap<Path, HeldBackFile>>;
}

/** Whom the daemon speaks for. */
const agent: AgentId = 'qwen';

/**
 * A prompt in the blocks that the daemon takes: the text as it was typed, then what it mentions. Of a file only its name
 * goes, the agent reads it; of a selection its lines, as they stand in the editor. Rejects with the host's error for a
 * file outside of the workspace, with `DaemonError` for one that is held back from the agent.
 */
export async function promptBlocks(prompt: ChatPrompt, files: PromptFiles): Promise<readonly ContentBlock[]> {
  const mentions = await Promise.all(
    prompt.mentions.map(async (mention) => ({ ...mention, path: await files.require(mention.path) })),
  );
  const held = await files.heldBack(mentions.map(({ path }) => path));
  for (const { path } of mentions) {
    const found = held.get(path)?.from.find((each) => each.agent === agent);
    if (found === undefined) continue;
    throw refusal(`${files.label(path)} is held back from ${found.displayName}: ${found.reason}.`);
  }
  return [
    ...(prompt.text === '' ? [] : [{ type: 'text' as const, text: prompt.text }]),
    ...(await Promise.all(mentions.map((mention) => mentionBlock(mention, files)))),
    ...prompt.images.map(({ mimeType, data }) => ({ type: 'image' as const, mimeType, data })),
  ];
}

async function mentionBlock({ path, lines }: PromptMention, files: PromptFiles): Promise<ContentBlock> {
  const uri = pathToFileURL(path).href;
  if (lines === undefined) return { type: 'resource_link', uri, name: files.nameOf(path) };
  const whole = await files.textOf(path);
  if (whole === undefined) {
    throw refusal(`${files.label(path)} is not text, so its lines cannot be sent.`);
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
