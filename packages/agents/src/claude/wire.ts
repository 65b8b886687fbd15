import type { Diagnostic, EditorContext, Path, Range } from '@tandem/core';
import * as z from 'zod';
import { toWirePath } from './paths.js';

/** The messages of Claude Code's IDE interface (claude-code-ide.md). Names are exactly as sent. */

/** An absolute path in the agent's spelling. */
export const wirePath = z.string().min(1);

/** The input of a tool without arguments. Schemas are shared: each session has a dozen tools. */
export const noArguments = z.object({});

/** `ide_connected`. The CLI sends only the pid; the document adds `isPluginVersionUnsupported`. */
export const ideConnectedParams = z.object({
  pid: z.int().positive(),
  isPluginVersionUnsupported: z.boolean().nullish(),
});

/** `CodeRange`: 0-based, like ours. */
interface CodeRange {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** `selection_changed`. */
export interface SelectionChanged extends Record<string, unknown> {
  text: string;
  filePath: string;
  selection: CodeRange;
}

const nowhere = { line: 0, character: 0 };

/**
 * The parameters of `selection_changed`. Without an active file, empty strings clear the CLI's selection; with the
 * document's nulls, Claude Code 2.1 would drop the message and keep a stale selection.
 */
export function encodeSelection(context: EditorContext, platform: NodeJS.Platform): SelectionChanged {
  const active = context.openFiles.find((file) => file.path === context.activePath);
  if (active === undefined) return { text: '', filePath: '', selection: { start: nowhere, end: nowhere } };
  return {
    text: active.selection?.text ?? '',
    filePath: toWirePath(active.path, platform),
    selection: encodeRange(active.selection?.range),
  };
}

function encodeRange(range: Range | undefined): CodeRange {
  const { start, end } = range ?? { start: nowhere, end: nowhere };
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}

/** The parameters of `at_mentioned`. Claude Code 2.1 drops a message with a null line, so absent lines are omitted. */
export function encodeMention(
  path: Path,
  lines: { readonly first: number; readonly last: number } | undefined,
  platform: NodeJS.Platform,
): Record<string, unknown> {
  const filePath = toWirePath(path, platform);
  return lines === undefined ? { filePath } : { filePath, lineStart: lines.first, lineEnd: lines.last };
}

/** The diagnostics of one file, in `getDiagnostics` and `diagnostics_changed`. A hint is the document's WEAK_WARNING. */
export function encodeDiagnostics(uri: string, diagnostics: readonly Diagnostic[]): Record<string, unknown> {
  return { uri, diagnostics: diagnostics.map(encodeDiagnostic) };
}

const severities = { error: 'ERROR', warning: 'WARNING', info: 'INFO', hint: 'WEAK_WARNING' } as const;

function encodeDiagnostic({ message, severity, range, source, code }: Diagnostic): Record<string, unknown> {
  return {
    message,
    severity: severities[severity],
    range: encodeRange(range),
    ...(source !== undefined && { source }),
    ...(code !== undefined && { code }),
  };
}
