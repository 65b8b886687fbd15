import { createCompanion } from '@tandem/companion';
import { createBenchEditor } from '../benchEditor.js';
import { lastLine } from './lastLine.js';
import { measureMemory } from './measureMemory.js';

/** How many times in a second the editor tells of itself. */
const bursts = 100;

/**
 * A companion whose editor never rests, and whose user accepts whatever is proposed. Answers `memory`; `events N` moves
 * the cursor N times a second, `rest` ends that with one last move.
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
    // By what has passed and not by turns: a busy process has fewer of them.
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
  companion.agents.connections().map(({ id, url, token }) => [id, { url, token }]),
);
process.send?.({ agents });
