import type { AgentId } from '@tandem/companion';

/** How a person starts each agent CLI, and what it must be told so that it connects and asks. */
export interface AgentCommand {
  readonly program: string;
  /** How to get the program. */
  readonly install: string;
  /** What to type in the running CLI when it did not connect by itself. */
  readonly connect: string;
  /** Flags that `tandem run` adds unless the person gave one of `unless`. */
  readonly reviewFlags: readonly string[];
  readonly unless: readonly RegExp[];
  /** Why, in a line for the person. */
  readonly reason?: string;
  /** What the person must know before it starts. */
  readonly hint?: string;
  /**
   * Where the CLI reads settings that rank below the person's own, so that `tandem run` can switch its IDE mode on
   * without touching a file of theirs. Gemini CLI 0.61 has such a place too, but takes it from root alone.
   */
  readonly defaults?: { readonly variable: string; readonly systemFile: Readonly<Partial<Record<NodeJS.Platform, string>>> };
}

export const agentCommands: Readonly<Record<AgentId, AgentCommand>> = {
  gemini: {
    program: 'gemini',
    install: 'npm install -g @google/gemini-cli',
    connect: '/ide enable',
    reviewFlags: [],
    unless: [],
    hint: 'If Gemini CLI does not connect, type /ide enable in it once; it remembers that.',
  },
  qwen: {
    program: 'qwen',
    install: 'npm install -g @qwen-code/qwen-code',
    connect: '/ide enable',
    reviewFlags: ['--approval-mode', 'default'],
    unless: [/^--approval-mode(=|$)/, /^(-y|--yolo)$/],
    reason: 'so that it asks before it edits; its own default is auto, which never opens a diff',
    defaults: {
      variable: 'QWEN_CODE_SYSTEM_DEFAULTS_PATH',
      systemFile: {
        linux: '/etc/qwen-code/system-defaults.json',
        darwin: '/Library/Application Support/QwenCode/system-defaults.json',
        win32: 'C:\\ProgramData\\qwen-code\\system-defaults.json',
      },
    },
  },
  claude: {
    program: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    connect: '/ide',
    reviewFlags: ['--permission-mode', 'default'],
    unless: [/^--permission-mode(=|$)/, /^--dangerously-skip-permissions$/],
    reason: 'so that it asks before it edits; its own default is auto, which never opens a diff',
  },
};

/** The settings by which Qwen Code connects without being asked to. */
export const connectByDefault = { ide: { enabled: true, hasSeenNudge: true } };
