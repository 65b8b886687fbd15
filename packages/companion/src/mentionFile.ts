import type { HostFiles, RunningProtocol } from '@tandem/agents';
import type { Path, SharingPolicy } from '@tandem/core';
import { RpcError } from '@tandem/rpc';

/**
 * Points every agent that takes mentions at a file. Resolves to how many sessions were told; rejects with
 * `RpcError` when it is no file, and when the policy holds it back from all that could be told.
 */
export async function mentionFile(
  among: {
    readonly files: HostFiles;
    readonly policy: SharingPolicy;
    readonly protocols: readonly RunningProtocol[];
  },
  path: Path,
  lines: { readonly first: number; readonly last: number } | undefined,
): Promise<number> {
  const { files, policy, protocols } = among;
  if (!(await files.isOnDisk(path))) {
    throw new RpcError('refused', `${path} does not exist or is not a file.`);
  }
  let told = 0;
  let reason: string | undefined;
  for (const protocol of protocols) {
    if (protocol.mention === undefined) continue;
    const verdict = await policy.verdict(protocol.identity, path);
    if (verdict.isShared) told += await protocol.mention(path, lines);
    else reason = verdict.reason;
  }
  if (told === 0 && reason !== undefined) {
    throw new RpcError('refused', `${path} was not mentioned: ${reason}.`);
  }
  return told;
}
