import type { TabOptions } from './browser.js';
import { connectClaudeAgent, connectHttpAgent, type McpAgent } from './mcpAgents.js';
import { ReviewPage } from './reviewPage.js';
import { Stage } from './stage.js';

const lines = Array.from({ length: 60 }, (_, index) => `const value${index} = ${index}; // line\n`);
const before = lines.join('');
const proposed = lines
  .with(4, 'const five = "changed";\n')
  .toSpliced(40, 2, 'function added() {\n', '  return true;\t \n', '}\n')
  .join('');

/** A workspace in which three agents each have a pending review. */
export interface ReviewQueue {
  readonly stage: Stage;
  readonly page: ReviewPage;
  readonly claude: McpAgent;
  /** The file that Claude Code proposes to change. */
  readonly path: string;
}

/** Three agents with one review each; that of Claude Code is the first. */
export async function openQueue(options: TabOptions = {}): Promise<ReviewQueue> {
  const stage = await Stage.open();
  await stage.put('.env', 'A=b\n');
  await stage.put('d.txt', 'text\n');
  const path = await stage.put('src/a.ts', before);
  const claude = await connectClaudeAgent(stage.tandem);
  const gemini = await connectHttpAgent(stage.tandem, 'gemini');
  const qwen = await connectHttpAgent(stage.tandem, 'qwen');
  await claude.propose(path, proposed);
  await gemini.propose(await stage.put('b.py', 'a = 1\n'), 'a = 2\n');
  await qwen.propose(stage.path('c.html'), '<p class="x">New</p>\n');
  const page = await ReviewPage.open(stage.tandem, options);
  return { stage, page, claude, path };
}
