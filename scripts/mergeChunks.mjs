import { dirname, resolve } from 'node:path';
import * as esbuild from 'esbuild';

/**
 * Puts each group of chunks into one chunk. A split build has a chunk for each set of entry points that share a module. For the
 * command these are dozens, and Node takes a part of a millisecond for each. So esbuild bundles its own output once
 * more, with a module in front of each group that imports all of it: the same entry points then reach the whole group. What
 * is imported on demand stays so, and each chunk is evaluated after those that it needs.
 *
 * @param {readonly esbuild.OutputFile[]} files of a split build without a banner; with inline source maps, these are kept
 * @param {readonly (readonly string[])[]} groups paths of chunks, as in the metafile. Not of entry points: a lazy import that an
 *   entry point awaits would wait for the group, and so for the entry point
 * @param {esbuild.BuildOptions & { absWorkingDir: string }} options of the new build; its entry points are such files
 */
export function mergeChunks(files, groups, options) {
  const absolute = (path) => resolve(options.absWorkingDir, path);
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const memberAt = new Map(groups.flat().map((path) => [absolute(path), path]));
  const groupOf = (member) => groups.findIndex((group) => group.includes(member));
  const isInside = (member, importer) => groupOf(member) === groupOf(memberAt.get(importer));
  const plugin = {
    name: 'merge-chunks',
    setup(build) {
      // esbuild makes hashes of the names of these modules, so they do not depend on the working folder.
      build.onResolve({ filter: /^(?:chunk|member|group):/ }, ({ path: name }) => {
        const [, namespace, path] = /^(\w+):(.*)$/.exec(name);
        return namespace === 'chunk' ? { path: absolute(path) } : { namespace, path };
      });
      build.onResolve({ filter: /.*/ }, ({ path: name, importer, kind }) => {
        const path = kind === 'entry-point' ? absolute(name) : resolve(dirname(importer), name);
        if (!texts.has(path)) return { path: name, external: true };
        const member = memberAt.get(path);
        if (member === undefined || isInside(member, importer)) return { path };
        return { namespace: 'member', path: member };
      });
      build.onLoad({ filter: /.*/, namespace: 'file' }, ({ path }) => ({ contents: texts.get(path) }));
      // Whoever imports a member reaches its group, and so all members.
      build.onLoad({ filter: /.*/, namespace: 'member' }, ({ path }) => ({
        contents: `import 'group:${groupOf(path)}'; export * from ${JSON.stringify(`chunk:${path}`)};`,
      }));
      build.onLoad({ filter: /.*/, namespace: 'group' }, ({ path: index }) => ({
        contents: groups[index].map((path) => `import ${JSON.stringify(`member:${path}`)};`).join('\n'),
      }));
    },
  };
  return esbuild.build({ ...options, plugins: [plugin] });
}

/**
 * The shared chunks that entry points load at once, in tiers: what the first entry points need, what the next need besides,
 * and so on. So no entry point loads what only a later tier needs.
 *
 * @param {esbuild.Metafile} metafile of a split build
 * @param {readonly (readonly string[])[]} tiers source files of entry points
 * @param {readonly string[]} loading the entry points whose chunks are meant
 * @returns {string[][]} for each tier, paths of chunks
 * @throws {Error} if a file is not an entry point
 */
export function chunkTiers({ outputs }, tiers, loading) {
  const grouped = new Set();
  const loaded = loadedAtOnce(outputs, loading);
  return tiers.map((sources) => {
    const needed = loadedAtOnce(outputs, sources);
    const isNew = (path) => needed.has(path) && !grouped.has(path) && outputs[path].entryPoint === undefined;
    const group = [...loaded].filter(isNew);
    for (const path of group) grouped.add(path);
    return group;
  });
}

/** Entry points, and the chunks that Node loads with them. */
function loadedAtOnce(outputs, sources) {
  const loaded = new Set();
  const load = (path) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { kind, path: needed } of outputs[path].imports) {
      if (kind === 'import-statement' && needed in outputs) load(needed);
    }
  };
  for (const source of sources) {
    const entry = Object.keys(outputs).find((path) => outputs[path].entryPoint === source);
    if (entry === undefined) throw new Error(`${source} is not an entry point of the bundle.`);
    load(entry);
  }
  return loaded;
}
