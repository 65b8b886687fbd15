import type { Agent, ContextAgent } from './agent.js';
import { claude } from './claude.js';
import { gemini } from './gemini.js';
import { kilo, opencode } from './opencode.js';
import { qwen, qwen015 } from './qwen.js';

/** The rows of the table-driven tests. Copilot CLI writes its own text, and has a test of its own. */
export const agents: readonly Agent[] = [gemini, qwen, qwen015, claude];

/** Those that receive the context through a connection of their own. Codex CLI asks for it, and has a test of its own. */
export const contextAgents: readonly ContextAgent[] = [opencode, kilo];
