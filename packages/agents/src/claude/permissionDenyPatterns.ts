import * as z from 'zod';

/** As much of Claude Code's settings file as says what it may not read. */
const settings = z.object({ permissions: z.object({ deny: z.array(z.unknown()) }) });

/**
 * Claude Code has no ignore file: a project tells it what not to read by `permissions.deny` rules such as
 * `Read(./.env)` or `Read(secrets/**)`, whose patterns follow gitignore. Returns them as patterns below the
 * project; `Read` alone is everything. Rules for paths elsewhere (`//absolute`, `~/home`) and for other tools are
 * none of this folder's. Settings that cannot be read give no pattern.
 */
export function permissionDenyPatterns(text: string): string[] {
  const parsed = settings.safeParse(parseJson(text));
  const rules = parsed.success ? parsed.data.permissions.deny : [];
  return rules.flatMap((rule) => {
    if (typeof rule !== 'string') return [];
    if (rule.trim() === 'Read') return ['**'];
    const pattern = /^Read\((.+)\)$/.exec(rule.trim())?.[1];
    if (pattern === undefined || pattern.startsWith('//') || pattern.startsWith('~')) return [];
    return [pattern.startsWith('./') ? pattern.slice(1) : pattern];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
