import type { Diagnostic } from '@tandem/core';
import * as z from 'zod';
import { encodeRange, type Notation } from '../claudeIde/messages.js';
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

/** Lines are 0-based, like ours. */
export function notationOn(platform: NodeJS.Platform): Notation {
  return { firstLine: 0, path: (path) => toWirePath(path, platform) };
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
