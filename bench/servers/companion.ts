import { createCompanion } from '@tandem/companion';
import { type BenchEditor, createBenchEditor } from '../benchEditor.js';
import { answerMeasures } from './answerMeasures.js';

/** The companion with an editor that does nothing. Reports how agents connect, then answers `memory`. */
export interface CompanionReady {
  readonly agents: Readonly<Record<string, { readonly url: string; readonly token: string }>>;
}

const editor: BenchEditor = createBenchEditor(process.argv[2] ?? '.');
const companion = await createCompanion({ editor, version: '0.0.0' });

answerMeasures();
const end = (): void => void companion.stop().then(() => process.exit());
process.once('disconnect', end);
process.once('SIGTERM', end);

const agents = Object.fromEntries(
  companion.agents.connections().map(({ id, url, token }) => [id, { url, token: token ?? '' }]),
);
process.send?.({ agents } satisfies CompanionReady);
