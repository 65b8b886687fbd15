import type { AgentId } from '@tandem/companion';

/** How a person starts each agent CLI, and what it must be told so that it connects and asks. */
export interface AgentCommand {
  readonly displayName: string;
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
}

export const agentCommands: Readonly<Record<AgentId, AgentCommand>> = {
  gemini: {
    displayName: 'Gemini CLI',
    program: 'gemini',
    install: 'npm install -g @google/gemini-cli',
    connect: '/ide enable',
    reviewFlags: [],
    unless: [],
  },
  qwen: {
    displayName: 'Qwen Code',
    program: 'qwen',
    install: 'npm install -g @qwen-code/qwen-code',
    connect: '/ide enable',
    reviewFlags: ['--approval-mode', 'default'],
    unless: [/^--approval-mode(=|$)/, /^(-y|--yolo)$/],
    reason: 'so that it asks before it edits (its default, auto, never opens a diff)',
  },
  claude: {
    displayName: 'Claude Code',
    program: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    connect: '/ide',
    reviewFlags: ['--permission-mode', 'default'],
    unless: [/^--permission-mode(=|$)/, /^--dangerously-skip-permissions$/],
    reason: 'so that it asks before it edits (its default, auto, never opens a diff)',
  },
};

/** The agents that a person can name. */
export const agentNames = Object.keys(agentCommands).filter(isAgentId);

/** Whether a word that a person typed names an agent. */
export function isAgentId(value: string): value is AgentId {
  return Object.hasOwn(agentCommands, value);
}

/** Flags that make the agent ask, unless the person chose otherwise. */
export function reviewFlags(agent: AgentId, args: readonly string[]): readonly string[] {
  const { reviewFlags: flags, unless } = agentCommands[agent];
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return own.some((arg) => unless.some((pattern) => pattern.test(arg))) ? [] : flags;
}
