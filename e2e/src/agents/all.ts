import type { Agent } from './agent.js';
import { claude } from './claude.js';
import { gemini } from './gemini.js';
import { qwen, qwen015 } from './qwen.js';

/** Every pinned agent CLI: the rows of the table-driven tests. */
export const agents: readonly Agent[] = [gemini, qwen, qwen015, claude];
