/**
 * The public API of the libraries. `npm run api` writes a report of each entry into the `api/` folder of its package, for the
 * reviewer of a change. The check fails if a report is not up to date, if an export has no description, and if the
 * API differs from that of the last release and no changeset names the package.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { root } from './devTool.mjs';

/** The public entries, by the names of their reports. */
const entries = {
  core: { folder: 'packages/core', entry: 'index', bundles: [] },
  reviews: { folder: 'packages/reviews', entry: 'index', bundles: [] },
  testing: { folder: 'packages/testing', entry: 'index', bundles: [] },
  companion: {
    folder: 'packages/companion',
    entry: 'publicApi',
    bundles: ['@tandem/agents', '@tandem/chat', '@tandem/mcp', '@tandem/rpc'],
  },
};

/**
 * Reads the declarations that `tsc -b` wrote.
 *
 * @param {keyof typeof entries} name
 * @param {{ declarations?: string }} options `declarations`: a file that receives the types of the whole entry
 * @returns {{ report: string, problems: string[] }}
 */
export function extractApi(name, { declarations } = {}) {
  const { folder: path, entry, bundles } = entries[name];
  const folder = `${root}${path}`;
  const cache = `${root}node_modules/.cache/tandem/api`;
  mkdirSync(cache, { recursive: true });
  const problems = [];
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: `${folder}/package.json`,
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: `${folder}/dist/${entry}.d.ts`,
      bundledPackages: bundles,
      newlineKind: 'lf',
      compiler: { tsconfigFilePath: `${folder}/tsconfig.json` },
      apiReport: {
        enabled: true,
        reportFolder: cache,
        reportTempFolder: `${cache}/new`,
        reportFileName: `${name}.api.md`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: declarations !== undefined, untrimmedFilePath: declarations ?? '' },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        extractorMessageReporting: {
          default: { logLevel: 'none' },
          'ae-undocumented': { logLevel: 'error' },
        },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
  });
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback(message) {
      const { logLevel, text, sourceFilePath, sourceFileLine, sourceFileColumn } = message;
      // Members are indented. Of an interface, their types often say it all.
      if (logLevel === 'error' && sourceFileColumn === 1)
        problems.push(`${sourceFilePath?.replace(root, '')}:${sourceFileLine} ${text}`);
      message.handled = true;
    },
  });
  return { report: readFileSync(`${cache}/new/${name}.api.md`, 'utf8'), problems };
}

/** The file of a report. `released`: as it was in the last release. */
function reportFile(name, released) {
  return `${root}${entries[name].folder}/api/${name}${released ? '.released' : ''}.api.md`;
}

const readReport = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** The packages that a pending changeset names. */
function packagesOfChangesets() {
  const files = readdirSync(`${root}.changeset`).filter((file) => file.endsWith('.md'));
  const texts = files.map((file) => readFileSync(`${root}.changeset/${file}`, 'utf8').split('---')[1] ?? '');
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/^['"]?([^'":]+)['"]?:/gm)].map(([, name]) => name)),
  );
}

function main(mode) {
  const changed = packagesOfChangesets();
  const problems = Object.keys(entries).flatMap((name) => {
    const { report, problems: found } = extractApi(name);
    const file = reportFile(name, mode === '--release');
    if (mode !== '--check') {
      mkdirSync(`${root}${entries[name].folder}/api`, { recursive: true });
      writeFileSync(file, report);
      return found;
    }
    if (readReport(file) !== report)
      found.push(`${file.replace(root, '')} is not up to date: run "npm run api" and commit it`);
    const manifest = JSON.parse(readFileSync(`${root}${entries[name].folder}/package.json`, 'utf8'));
    if (readReport(reportFile(name, true)) !== report && !changed.has(manifest.name))
      found.push(`the API of ${manifest.name} has changed since its release: run "npm run changeset"`);
    return found;
  });
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv[2]);
