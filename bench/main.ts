import { cpus } from 'node:os';
import { benchBlocking } from './cases/blocking.js';
import { benchChanges } from './cases/changes.js';
import { benchChat } from './cases/chat.js';
import { benchClaudeTool } from './cases/claudeTool.js';
import { benchContext } from './cases/context.js';
import { benchEditor } from './cases/editor.js';
import { benchFolderScan } from './cases/folderScan.js';
import { benchHooks } from './cases/hooks.js';
import { benchInstall } from './cases/install.js';
import {
  benchInstalledContext,
  benchInstalledMemory,
  benchInstalledOpenDiff,
  benchInstalledPending,
  benchInstalledWebSocket,
} from './cases/installed.js';
import { benchJournal } from './cases/journal.js';
import { benchList } from './cases/list.js';
import { benchMemory } from './cases/memory.js';
import { benchOpenDiff } from './cases/openDiff.js';
import { benchPage } from './cases/page.js';
import { benchScreen } from './cases/screen.js';
import { benchStart } from './cases/start.js';
import { createScratch, type Scratch } from './scratch.js';

const cases: Readonly<Record<string, (scratch: Scratch) => Promise<void>>> = {
  installed: benchInstalledOpenDiff,
  'installed-pending': benchInstalledPending,
  'installed-ws': benchInstalledWebSocket,
  'installed-context': benchInstalledContext,
  'installed-memory': benchInstalledMemory,
  blocking: benchBlocking,
  openDiff: benchOpenDiff,
  claude: benchClaudeTool,
  context: benchContext,
  journal: benchJournal,
  memory: benchMemory,
  start: benchStart,
  screen: benchScreen,
  hooks: benchHooks,
  install: benchInstall,
  page: benchPage,
  editor: benchEditor,
  changes: benchChanges,
  list: benchList,
  folder: benchFolderScan,
  chat: benchChat,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in cases));
if (unknown.length > 0) {
  console.error(`No case is named ${unknown.join(', ')}. Cases: ${Object.keys(cases).join(', ')}.`);
  process.exit(2);
}
const [cpu] = cpus();
console.log(`Node ${process.version}, ${cpus().length} x ${cpu?.model ?? 'unknown processor'}`);
console.log(
  'Medians, in brackets the middle nine tenths. Only the ratios mean something on another machine.',
);
for (const [name, run] of Object.entries(cases)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const scratch = createScratch();
  try {
    await run(scratch);
  } finally {
    scratch.remove();
  }
}
