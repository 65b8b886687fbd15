import { type Metafile, stop } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleCommand } from '../scripts/buildCommand.mjs';

/** Node takes a part of a millisecond for each file, and 3 ms to parse 100 KB. */
describe("the command's bundle", () => {
  let outputs: Metafile['outputs'];

  beforeAll(async () => {
    ({ outputs } = (await bundleCommand({ sourcemap: false })).metafile);
  });
  afterAll(() => stop());

  /** What Node loads for the modules that export these names, and for every command. */
  const loadedFor = (...names: string[]): { readonly files: number; readonly kilobytes: number } => {
    const isEntry = (path: string): boolean => outputs[path]?.entryPoint !== undefined;
    const exporting = (name: string): string[] =>
      Object.keys(outputs).filter((path) => isEntry(path) && outputs[path]?.exports.includes(name));
    const loaded = new Set<string>();
    const load = (path: string): void => {
      if (loaded.has(path)) return;
      loaded.add(path);
      for (const { kind, path: needed } of outputs[path]?.imports ?? []) {
        if (kind === 'import-statement' && needed in outputs) load(needed);
      }
    };
    load('hosts/standalone/dist/tandem.js');
    for (const name of names) {
      expect(exporting(name)).toHaveLength(1);
      exporting(name).forEach(load);
    }
    const bytes = [...loaded].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
    return { files: loaded.size, kilobytes: bytes / 1024 };
  };

  it('is small for a short command', () => {
    expect(loadedFor().files).toBeLessThanOrEqual(2);
    expect(loadedFor().kilobytes).toBeLessThan(380);
    for (const name of ['status', 'env', 'focus', 'stop', 'run']) {
      // What starts hooks is in files that `tandem hook` and the launchers of terminals share.
      expect(loadedFor(name).files).toBeLessThanOrEqual(name === 'run' ? 8 : 6);
      expect(loadedFor(name).kilobytes).toBeLessThan(560);
    }
    expect(loadedFor('runHook').files).toBeLessThanOrEqual(6);
  });

  it('has few files for a companion until agents can find it, without what their connections need', () => {
    const agents = ['serveClaude', 'serveCodex', 'serveContextGuest', 'serveCopilot', 'serveIdeCompanion'];
    expect(loadedFor('serve', ...agents).files).toBeLessThanOrEqual(11);
    expect(loadedFor('serve', ...agents).kilobytes).toBeLessThan(870);
    expect(loadedFor('editor', ...agents).kilobytes).toBeLessThan(770);
  });
});
