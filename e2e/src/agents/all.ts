import type { Agent, ContextAgent } from './agent.js';
import { claude } from './claude.js';
import { gemini } from './gemini.js';
import { kilo, opencode } from './opencode.js';
import { qwen, qwen015 } from './qwen.js';

/** Every pinned agent CLI whose proposals Tandem writes: the rows of the table-driven tests. Copilot CLI has a test of its own. */
export const agents: readonly Agent[] = [gemini, qwen, qwen015, claude];

/** Every pinned agent CLI that receives the context only. */
export const contextAgents: readonly ContextAgent[] = [opencode, kilo];
