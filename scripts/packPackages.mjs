/**
 * `npm run pack`: packs what users install into `release/` or the folder that is given: the npm packages and the VS Code
 * extension. Each is staged in a folder with exactly what it ships, and a manifest without what only development needs. The
 * same sources give the same bytes.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as esbuild from 'esbuild';
import { extractApi } from './api.mjs';
import { bundleCommand } from './buildCommand.mjs';
import { viteBuild } from './buildPage.mjs';
import { root, runDevTool } from './devTool.mjs';
import { packageExtension } from './packageExtension.mjs';
import { emptyStage, finishStage, manifestOf, writeNotices } from './stage.mjs';

/** The packages that ship as the compiler wrote them. They are not in a bundle: an editor and its companion share their classes. */
const libraries = ['core', 'reviews', 'testing'];
const protocolSchema = 'editor-protocol.schema.json';
const outFolder = resolve(process.argv[2] ?? `${root}release`);

// Only these packages ship declarations; the others are bundled from their sources.
await requireTool('tsc', ['-b', `${root}packages/companion`, `${root}packages/testing`]);
mkdirSync(outFolder, { recursive: true });
for (const name of libraries) npmPack(stageLibrary(`packages/${name}`));
npmPack(await stageCompanion());
npmPack(await stageCommand());
await packageExtension(`${outFolder}/tandem-vscode-${manifestOf('hosts/vscode').version}.vsix`);

function stageLibrary(folder) {
  const stage = emptyStage(folder);
  cpSync(`${root}${folder}/dist`, `${stage}/dist`, {
    recursive: true,
    filter: (path) => !/\.(map|tsbuildinfo)$/.test(path),
  });
  return finishStage(stage, folder, {
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    dependencies: manifestOf(folder).dependencies,
  });
}

/** One bundle with our packages that no other program uses. */
async function stageCompanion() {
  const stage = emptyStage('packages/companion');
  const available = dependenciesOf('packages/companion');
  const { metafile } = await esbuild.build({
    entryPoints: { index: `${root}packages/companion/src/publicApi.ts` },
    outdir: `${stage}/dist`,
    chunkNames: 'chunks/[name]-[hash]',
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['@tandem/source'],
    external: Object.keys(available),
    metafile: true,
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  const isImported = (name) => imports.some((path) => path === name || path.startsWith(`${name}/`));
  const dependencies = Object.fromEntries(Object.entries(available).filter(([name]) => isImported(name)));
  extractApi('companion', { declarations: `${stage}/dist/index.d.ts` });
  return finishStage(stage, 'packages/companion', {
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    dependencies,
  });
}

/** The command with its page, all that it needs in it. */
async function stageCommand() {
  const stage = emptyStage('hosts/standalone');
  const { outputFiles, modules } = await bundleCommand({ outdir: `${stage}/dist`, sourcemap: false });
  mkdirSync(`${stage}/dist/chunks`, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const page = await viteBuild({ build: { outDir: `${stage}/dist/page`, emptyOutDir: true } });
  cpSync(`${root}hosts/standalone/bin`, `${stage}/bin`, { recursive: true });
  cpSync(`${root}hosts/standalone/${protocolSchema}`, `${stage}/${protocolSchema}`);
  writeNotices(stage, [...modules, ...page]);
  return finishStage(stage, 'hosts/standalone', { type: 'module', bin: { tandem: 'bin/tandem.js' } });
}

/** What a package and those of ours that it bundles need from others, and from our libraries. */
function dependenciesOf(folder) {
  const all = {};
  const add = (name) => {
    for (const [needed, version] of Object.entries(manifestOf(name).dependencies ?? {})) {
      const [, ours] = needed.split('@tandem/');
      if (ours === undefined || libraries.includes(ours)) all[needed] = version;
      else add(`packages/${ours}`);
    }
  };
  add(folder);
  return Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function npmPack(stage) {
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', outFolder];
  const { status, stderr } = spawnSync('npm', args, {
    cwd: stage,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm pack failed in ${stage}: ${stderr}`);
}

async function requireTool(program, args) {
  const { isOk, problem } = await runDevTool(program, args, { limitMinutes: 5 });
  if (!isOk) throw new Error(problem);
}
