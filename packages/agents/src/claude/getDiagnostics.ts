import type { Diagnostics, Path } from '@tandem/core';
import { defineTool, jsonResult, type McpTool, ToolError } from '@tandem/mcp';
import * as z from 'zod';
import { sharedDiagnostics } from '../sharedDiagnostics.js';
import { pathsOfFileUri, toFileUri } from './paths.js';
import { isShared, type ToolContext } from './toolContext.js';
import { encodeDiagnostics } from './wire.js';

/** Claude Code 2.1 waits 500 ms for one file, and stops asking after three late answers; an error in time is not late. */
const oneFileLimitMs = 400;
/** It waits 2 s for all files. */
const allFilesLimitMs = 1800;

const input = z.object({
  uri: z
    .string()
    .nullish()
    .describe('File URI (file:///...); null for the current file, left out for all files'),
});

/**
 * `getDiagnostics` (claude-code-ide.md, tool 7), offered by editors that have language services. Claude Code asks with
 * a raw `file://` URI for one file and with no argument for all; the document's null means the current file. The answer
 * always contains the requested file, even without diagnostics, under the URI of the request: a client that encodes its
 * URIs would not recognise a raw one.
 */
export function getDiagnostics(context: ToolContext, diagnostics: Diagnostics): McpTool {
  return defineTool({
    name: 'getDiagnostics',
    description: 'Gets the errors and warnings that the editor shows for a file, or for all files.',
    input,
    async run({ uri }) {
      if (uri === undefined) return jsonResult(await ofAllFiles(context, diagnostics));
      const path = uri === null ? (await context.shared.latest()).activePath : await readUri(context, uri);
      return jsonResult(path === undefined ? [] : await ofOneFile(context, diagnostics, path, uri));
    },
  });
}

async function ofAllFiles(context: ToolContext, diagnostics: Diagnostics): Promise<unknown[]> {
  const found = await sharedDiagnostics(context, diagnostics, allFilesLimitMs);
  return found.map((file) => encodeDiagnostics(toFileUri(file.path, context.platform), file.diagnostics));
}

async function ofOneFile(
  context: ToolContext,
  diagnostics: Diagnostics,
  path: Path,
  uri: string | null,
): Promise<unknown[]> {
  const found = await sharedDiagnostics(context, diagnostics, oneFileLimitMs, path);
  if (!(await isShared(context, path))) return [];
  const all = found.flatMap((file) => file.diagnostics);
  return [encodeDiagnostics(uri ?? toFileUri(path, context.platform), all)];
}

/**
 * The first interpretation of the URI that is an existing file; otherwise the first one, because a new file does not
 * exist yet.
 */
async function readUri(context: ToolContext, uri: string): Promise<Path> {
  const [first, ...others] = pathsOfFileUri(uri, context.platform);
  if (first === undefined) throw new ToolError(`getDiagnostics needs a file:// URI, but received "${uri}".`);
  for (const path of [first, ...others]) if (await context.files.isOnDisk(path)) return path;
  return first;
}
