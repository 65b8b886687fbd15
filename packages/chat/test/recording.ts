import { readFileSync } from 'node:fs';

/** The ids of the client that made the recordings. */
export const recordingClient = 'client_00000000-0000-4000-8000-000000000003';

/** Recorded events of Qwen Code 0.24.4, with ids, paths and the list of commands shortened. */
export function recording(name: string): unknown[] {
  const text = readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}
