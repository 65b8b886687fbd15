import type { Diagnostics, FileDiagnostics, Path } from '@tandem/core';
import { defineTool, type McpTool, ToolError } from '@tandem/transport';
import { z } from 'zod';
import { pathsOfFileUri } from '../paths.js';
import { isShared, jsonResult, type ToolContext } from '../toolContext.js';
import { encodeDiagnostics } from '../wire.js';

const input = z.object({
  uri: z.string().nullish().describe('File URI (file:///...); null for the current file, left out for all files'),
});

/**
 * `getDiagnostics` (claude-code-ide.md, tool 7), offered by editors that have language services. Claude Code asks
 * with a raw `file://` URI for one file and with no argument for all; the document's null means the current file.
 * A file that was asked for is always in the answer, if only to say that it has none.
 */
export function getDiagnostics(context: ToolContext, diagnostics: Diagnostics): McpTool {
  return defineTool({
    name: 'getDiagnostics',
    description: 'Gets the errors and warnings that the editor shows for a file, or for all files.',
    input,
    async run({ uri }) {
      const found = await collect(context, diagnostics, uri);
      const shared: FileDiagnostics[] = [];
      for (const file of found) if (await isShared(context, file.path)) shared.push(file);
      return jsonResult(shared.map((file) => encodeDiagnostics(file, context.platform)));
    },
  });
}

async function collect(
  context: ToolContext,
  diagnostics: Diagnostics,
  uri: string | null | undefined,
): Promise<readonly FileDiagnostics[]> {
  if (uri === undefined) return diagnostics.get();
  const path = uri === null ? context.sharedContext().activePath : await existing(context, uri);
  if (path === undefined) return [];
  const found = await diagnostics.get(path);
  return found.length > 0 ? found : [{ path, diagnostics: [] }];
}

/** The first of the URI's readings that is a file, or the first of them: a new file does not exist yet. */
async function existing(context: ToolContext, uri: string): Promise<Path> {
  const [first, ...others] = pathsOfFileUri(uri, context.platform);
  if (first === undefined) throw new ToolError(`getDiagnostics needs a file:// URI, and "${uri}" is none.`);
  for (const path of [first, ...others]) if (await context.files.isOnDisk(path)) return path;
  return first;
}
