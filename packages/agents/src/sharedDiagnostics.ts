import {
  type AgentIdentity,
  type Clock,
  type Diagnostics,
  type FileDiagnostics,
  type Path,
  type SharingPolicy,
  TimeoutError,
  withTimeout,
} from '@tandem/core';
import { ToolError } from '@tandem/mcp';

/**
 * The diagnostics of one file or of all, without files that the policy hides. If the editor takes longer than
 * `limitMs`, rejects with `ToolError`: Claude Code 2.1 stops asking after three late answers.
 */
export async function sharedDiagnostics(
  { agent, policy, clock }: DiagnosticsServices,
  diagnostics: Diagnostics,
  limitMs: number,
  path?: Path,
): Promise<readonly FileDiagnostics[]> {
  const found = await withTimeout(clock, limitMs, diagnostics.get(path)).catch((error: unknown) => {
    throw error instanceof TimeoutError ? new ToolError(error.message, { cause: error }) : error;
  });
  const verdicts = await Promise.all(found.map((file) => policy.verdict(agent, file.path)));
  return found.filter((_file, index) => verdicts[index]?.isShared);
}

interface DiagnosticsServices {
  readonly agent: AgentIdentity;
  readonly policy: SharingPolicy;
  readonly clock: Clock;
}
