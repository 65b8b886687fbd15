import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, stop } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunkTiers, mergeChunks } from '../scripts/mergeChunks.mjs';

/**
 * The entry waits for a lazy import, as the command does. Lazy modules share others; `low` and `high` give different things
 * the same names.
 */
const sources = {
  'main.js': `
    import { evaluated } from './order.js';
    export { evaluated };
    await import('./small.js');
    export const large = () => import('./large.js');
    export const other = () => import('./other.js');`,
  'order.js': 'export const evaluated = [];',
  'low.js': `
    import { evaluated } from './order.js';
    evaluated.push('low');
    const name = 'low name';
    export class Shared {}
    export const value = () => name;`,
  'middle.js': `
    import { evaluated } from './order.js';
    import { Shared } from './low.js';
    evaluated.push('middle');
    export class Special extends Shared {}`,
  'high.js': `
    import { evaluated } from './order.js';
    import { Special } from './middle.js';
    evaluated.push('high');
    const name = 'high name';
    export const made = new Special();
    export const value = () => name;`,
  'large.js': `
    import { evaluated } from './order.js';
    import { made, value } from './high.js';
    import { Special } from './middle.js';
    import { Shared, value as lowValue } from './low.js';
    evaluated.push('large');
    export const values = [value(), lowValue()];
    export const areSame = made instanceof Special && made instanceof Shared;
    export const late = () => import('./late.js');`,
  'late.js': `
    import { evaluated } from './order.js';
    import { Shared } from './low.js';
    import { made } from './high.js';
    evaluated.push('late');
    export const isSame = made instanceof Shared;`,
  'small.js': `
    import { evaluated } from './order.js';
    import { Shared } from './low.js';
    evaluated.push('small');
    export const shared = new Shared();`,
  'other.js': `
    import { Special } from './middle.js';
    import { evaluated } from './order.js';
    evaluated.push('other');
    export const special = new Special();`,
};

/** Uses all of it, and prints what happened. */
const use = `
  const { evaluated, large, other } = await import('./main.js');
  const seen = [[...evaluated]];
  const { values, areSame, late } = await large();
  seen.push([...evaluated]);
  await other();
  const { isSame } = await late();
  seen.push([...evaluated]);
  console.log(JSON.stringify({ seen, values, areSame, isSame }));`;

interface Built {
  readonly outputFiles: OutputFile[];
  readonly metafile: Metafile;
}

describe('merged chunks', () => {
  let folder: string;
  let split: Built;
  let merged: Built;

  const buildIn = async (place: string): Promise<{ split: Built; merged: Built }> => {
    mkdirSync(place, { recursive: true });
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(place, name), text);
    const options = {
      absWorkingDir: place,
      outdir: join(place, 'out'),
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      write: false,
      metafile: true,
      logLevel: 'silent',
    } satisfies BuildOptions;
    const first = await build({
      ...options,
      entryPoints: ['main.js'],
      chunkNames: '[hash]/[name]',
      sourcemap: 'inline',
    });
    const tiers = [['main.js'], ['small.js'], ['large.js']];
    const second = await mergeChunks(
      first.outputFiles,
      chunkTiers(first.metafile, tiers, ['main.js', 'large.js']),
      { ...options, entryPoints: [{ in: 'out/main.js', out: 'main' }], sourcemap: 'linked' },
    );
    return { split: first, merged: second };
  };

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'merge-chunks-')));
    ({ split, merged } = await buildIn(folder));
  });

  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What happens when Node runs a build. */
  const run = ({ outputFiles }: Built): unknown => {
    const place = mkdtempSync(join(folder, 'run-'));
    writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
    for (const file of outputFiles) {
      const path = join(place, file.path.slice(join(folder, 'out').length));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, file.contents);
    }
    const args = ['--input-type=module', '--eval', use];
    return JSON.parse(execFileSync(process.execPath, args, { cwd: place, encoding: 'utf8' }));
  };

  /** The files that Node loads for an output, without those that are imported on demand. */
  const loadedFor = ({ metafile: { outputs } }: Built, name: string): string[] => {
    const entry = Object.keys(outputs).find((path) => new RegExp(`/${name}\\b.*\\.js$`).test(path));
    const loaded = new Set<string>();
    const load = (path: string): void => {
      if (loaded.has(path)) return;
      loaded.add(path);
      for (const needed of outputs[path]?.imports ?? []) {
        if (needed.kind === 'import-statement') load(needed.path);
      }
    };
    if (entry !== undefined) load(entry);
    return [...loaded];
  };

  it('evaluate their modules once, when they are needed, after what they need, and keep names apart', () => {
    const expected = {
      seen: [
        ['low', 'small'],
        ['low', 'small', 'middle', 'high', 'large'],
        ['low', 'small', 'middle', 'high', 'large', 'other', 'late'],
      ],
      values: ['high name', 'low name'],
      areSame: true,
      isSame: true,
    };
    expect(run(split)).toEqual(expected);
    expect(run(merged)).toEqual(expected);
  });

  it('are one file for each tier', () => {
    // Itself; order; low; middle and high.
    expect(loadedFor(split, 'large')).toHaveLength(5);
    expect(loadedFor(merged, 'large')).toHaveLength(4);
    expect(loadedFor(merged, 'small')).toHaveLength(3);
    expect(loadedFor(merged, 'main')).toHaveLength(2);
  });

  it('have source maps that lead to the sources', () => {
    const maps = merged.outputFiles.filter(({ path }) => path.endsWith('.map'));
    const named = maps.flatMap(({ text }) => JSON.parse(text).sources as string[]);
    expect([...new Set(named)].sort()).toEqual(
      Object.keys(sources)
        .map((name) => `../${name}`)
        .sort(),
    );
  });

  it('have the same names in another folder', async () => {
    const other = await buildIn(join(folder, 'elsewhere'));
    expect(Object.keys(other.merged.metafile.outputs)).toEqual(Object.keys(merged.metafile.outputs));
  });

  it('are not made of a file that is no entry point', () => {
    expect(() => chunkTiers(split.metafile, [['gone.js']], ['main.js'])).toThrow(
      /gone\.js is not an entry point/,
    );
  });
});
