import { pathToFileURL } from 'node:url';
import type { ContentBlock } from '@tandem/companion/daemon';
import { isWithin, type Path } from '@tandem/core';
import type { ChatMention, ChatPrompt } from '@tandem/ui/wire';
import { agentCommands } from '../agentCommands.js';
import { readDiskFile } from '../editor/diskFile.js';
import { PageFailure } from '../page/pageAnswer.js';
import type { PageApiServices } from '../page/pageApi.js';

type Services = Pick<PageApiServices, 'companion' | 'editor' | 'paths'>;

/**
 * A prompt in the blocks that the daemon takes: the text as it was typed, then what it mentions. Of a file only its name
 * goes, the agent reads it; of a selection its lines, as they stand in the editor. Rejects with `PageFailure` for a file
 * outside of the workspace, and for one that is held back from the agent.
 */
export async function promptBlocks(prompt: ChatPrompt, services: Services): Promise<readonly ContentBlock[]> {
  const { companion, paths } = services;
  const mentions = await Promise.all(
    prompt.mentions.map(async (mention) => ({ ...mention, path: await paths.require(mention.path) })),
  );
  const held = await companion.heldBackFiles(mentions.map(({ path }) => path));
  const qwen = agentCommands.qwen.displayName;
  for (const { path } of mentions) {
    const found = held.get(path);
    if (found === undefined || !(found.isFromAll || found.agents.includes(qwen))) continue;
    throw new PageFailure('refused', `${paths.label(path)} is held back from ${qwen}: ${found.reason}.`);
  }
  return [
    ...(prompt.text === '' ? [] : [{ type: 'text' as const, text: prompt.text }]),
    ...(await Promise.all(mentions.map((mention) => mentionBlock(mention, services)))),
    ...prompt.images.map(({ mimeType, data }) => ({ type: 'image' as const, mimeType, data })),
  ];
}

async function mentionBlock({ path, lines }: ChatMention, services: Services): Promise<ContentBlock> {
  const uri = pathToFileURL(path).href;
  if (lines === undefined) return { type: 'resource_link', uri, name: nameOf(path, services) };
  const text = (await textOf(path, services))
    .split('\n')
    .slice(lines.first, lines.last + 1)
    .join('\n');
  return {
    type: 'resource',
    resource: { uri: `${uri}#L${lines.first + 1}-L${lines.last + 1}`, text, mimeType: 'text/plain' },
  };
}

/** As the agent knows the file: below its workspace. */
function nameOf(path: Path, { companion, paths }: Services): string {
  const [folder] = companion.editor.workspace.folders();
  return folder !== undefined && isWithin(folder, path) ? paths.label(path) : path;
}

/** What the person sees: the open document with what is unsaved in it. */
async function textOf(path: Path, { editor, paths }: Services): Promise<string> {
  const document = editor.document(path);
  if (document?.kind === 'text') return document.text.content;
  const found = await readDiskFile(path);
  if (found.kind === 'text') return found.text.replace(/\r\n?/g, '\n');
  throw new PageFailure('refused', `${paths.label(path)} is no text, so that none of its lines can be sent.`);
}
