/** Every agent that Tandem serves, each by its id. Adding an agent is adding its folder and its line here. */
export { claude } from './claude/claude.js';
export { gemini } from './gemini/gemini.js';
export { qwen } from './qwen/qwen.js';
