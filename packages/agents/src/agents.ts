/** Every agent that Tandem serves, by id. A new agent needs a folder and a line here. */
export { claude } from './claude/claude.js';
export { codex } from './codex/codex.js';
export { copilot } from './copilot/copilot.js';
export { gemini } from './gemini/gemini.js';
export { kilo } from './kilo/kilo.js';
export { opencode } from './opencode/opencode.js';
export { pi } from './pi/pi.js';
export { qwen } from './qwen/qwen.js';
