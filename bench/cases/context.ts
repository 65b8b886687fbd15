import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCompanion } from '@tandem/companion';
import { contextDebounceMs } from '@tandem/core';
import { createBenchEditor } from '../benchEditor.js';
import { HttpClient } from '../httpClient.js';
import { describe, type Samples } from '../measure.js';
import type { Scratch } from '../scratch.js';

/** From an event of the editor to the bytes at the client, less the debounce that is meant to be there. */
export async function benchContext(scratch: Scratch): Promise<void> {
  writeFileSync(join(scratch.workspace, 'open.ts'), 'one line\n'.repeat(500));
  const { HOME: home = '', TMPDIR: tmpdir = '' } = scratch.env;
  const editor = createBenchEditor(scratch.workspace);
  const machine = { platform: process.platform, home, tmpdir, env: scratch.env };
  const companion = await createCompanion({ editor, version: '0.0.0', machine });
  const [gemini] = companion.connections();
  if (gemini === undefined) throw new Error('The companion serves no agent.');
  let heard = (): void => {};
  const client = await HttpClient.connect(
    { port: Number(new URL(gemini.url).port), token: gemini.token },
    (data) => {
      if (data.includes('ide/contextUpdate')) heard();
    },
  );
  const values: number[] = [];
  for (let line = 1; line <= 60; line += 1) {
    const arrived = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const firedAt = performance.now();
    editor.moveTo(line);
    await arrived;
    if (line > 10) values.push(performance.now() - firedAt - contextDebounceMs);
  }
  client.close();
  await companion.stop();
  const samples: Samples = { name: `beyond the debounce of ${contextDebounceMs} ms`, values };
  console.log('\nchange in the editor to ide/contextUpdate at the client');
  console.log(describe(samples));
}
