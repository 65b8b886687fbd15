import { type AgentIdentity, SharingPolicy, type SharingPolicyOptions, silentLogger } from '@tandem/core';
import { FakeFiles } from '@tandem/testing';

export const gemini: AgentIdentity = { id: 'gemini', ignoreFiles: [{ name: '.geminiignore' }] };
export const qwen: AgentIdentity = { id: 'qwen', ignoreFiles: [{ name: '.qwenignore' }] };
export const claude: AgentIdentity = {
  id: 'claude',
  ignoreFiles: [
    { name: '.claude/settings.json', patterns: (text) => text.split(' ') },
    { name: '.claude/settings.local.json', patterns: (text) => text.split(' ') },
  ],
};

/** A policy for a workspace at /ws with these files, and its verdicts. */
export function policyFor(
  files: Readonly<Record<string, string>> = {},
  options: Partial<SharingPolicyOptions> = {},
) {
  const disk = new FakeFiles(files);
  const policy = new SharingPolicy({ files: disk, folders: () => ['/ws'], logger: silentLogger, ...options });
  const isShared = async (path: string, agent = gemini) => (await policy.verdict(agent, path)).isShared;
  const reason = async (path: string, agent = gemini) => {
    const verdict = await policy.verdict(agent, path);
    return verdict.isShared ? undefined : verdict.reason;
  };
  return { disk, policy, isShared, reason };
}
