import type { AgentIgnoreFile } from '@tandem/core';
import { settingAt } from '../agentDiagnosis.js';

/**
 * Claude Code has no ignore file: a project uses `permissions.deny` rules such as `Read(./.env)` or `Read(secrets/**)`,
 * with patterns as in gitignore. Returns them as patterns below the project; `Read` alone matches everything. Rules for
 * other tools and other locations (`//absolute`, `~/home`) are ignored. Unreadable settings give no pattern.
 */
export function permissionDenyPatterns(text: string): string[] {
  const rules = settingAt([parseJson(text)], 'permissions', 'deny');
  return (Array.isArray(rules) ? rules : []).flatMap((rule: unknown) => {
    if (typeof rule !== 'string') return [];
    if (rule.trim() === 'Read') return ['**'];
    const pattern = /^Read\((.+)\)$/.exec(rule.trim())?.[1];
    if (pattern === undefined || pattern.startsWith('//') || pattern.startsWith('~')) return [];
    return [pattern.startsWith('./') ? pattern.slice(1) : pattern];
  });
}

/** Where a project says what Claude Code may not read. Every client with its token is treated as if it were Claude Code. */
export const denyingSettings: readonly AgentIgnoreFile[] = [
  { name: '.claude/settings.json', patterns: permissionDenyPatterns },
  { name: '.claude/settings.local.json', patterns: permissionDenyPatterns },
];

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
