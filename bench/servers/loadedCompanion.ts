import { createCompanion } from '@tandem/companion';
import { createBenchEditor } from '../benchEditor.js';
import { lastLine } from './lastLine.js';
import { measureMemory } from './measureMemory.js';

/** How often the editor fires events per second. */
const bursts = 100;

/**
 * A companion whose editor fires events all the time and whose user accepts every proposal. Answers `memory`; `events
 * N` moves the cursor N times per second, `rest` ends that with one last move.
 */
const editor = createBenchEditor(process.argv[2] ?? '.');
const companion = await createCompanion({ editor, version: '0.0.0' });
companion.reviews.onDidOpen((review) => setImmediate(() => review.accept()));

let moving: NodeJS.Timeout | undefined;
let line = 0;
let movedAt = 0;
function move(perSecond: number): void {
  movedAt = performance.now();
  moving = setInterval(() => {
    // Counts by elapsed time, because a busy process has fewer turns.
    const due = Math.floor(((performance.now() - movedAt) / 1000) * perSecond);
    movedAt += (due / perSecond) * 1000;
    for (let each = 0; each < due; each += 1) {
      line += 1;
      editor.moveTo(line % lastLine);
    }
  }, 1000 / bursts);
}

process.on('message', (question) => {
  const [word, count] = String(question).split(' ');
  if (word === 'events') move(Number(count));
  if (word === 'rest') {
    clearInterval(moving);
    editor.moveTo(lastLine);
  }
  if (word === 'memory') void measureMemory().then((use) => process.send?.(use));
  else process.send?.({ moves: line });
});
const end = (): void => void companion.stop().then(() => process.exit());
process.once('disconnect', end);
process.once('SIGTERM', end);

const agents = Object.fromEntries(
  companion.agents.connections().map(({ id, url, token }) => [id, { url, token: token ?? '' }]),
);
process.send?.({ agents });
