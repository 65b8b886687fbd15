/**
 * What is added to the settings of an agent's CLI: for each event the groups of hooks. Claude Code introduced this form; its forks,
 * Codex CLI and Gemini CLI have it, too.
 */
export type HookEntries = Readonly<Record<string, readonly object[]>>;
