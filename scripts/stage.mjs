import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { root } from './devTool.mjs';
import { bundledPackages, thirdPartyNotices } from './shippedPackages.mjs';

/** What a manifest in the repository says to users, too. */
const publicFields = ['name', 'displayName', 'version', 'description', 'keywords', 'license', 'engines'];

/** An empty folder for what a package ships. @param {string} folder of the package, from the root */
export function emptyStage(folder) {
  const stage = `${root}node_modules/.cache/tandem/packages/${folder.replace('/', '-')}`;
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  return stage;
}

/**
 * Adds the manifest, with `fields` instead of what only development needs, and the texts that every package has.
 *
 * @returns {string} the stage
 */
export function finishStage(stage, folder, fields) {
  const { author, homepage, repository, bugs } = manifestOf('.');
  const ours = manifestOf(folder);
  const named = Object.fromEntries(publicFields.filter((key) => key in ours).map((key) => [key, ours[key]]));
  const manifest = {
    ...named,
    author,
    homepage,
    repository: { ...repository, directory: folder },
    bugs: { url: bugs },
    ...fields,
  };
  writeFileSync(`${stage}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  for (const [name, from] of [
    ['README.md', folder],
    ['CHANGELOG.md', folder],
    ['LICENSE', '.'],
  ]) {
    if (existsSync(`${root}${from}/${name}`)) cpSync(`${root}${from}/${name}`, `${stage}/${name}`);
  }
  return stage;
}

/** Adds the licences of what was bundled. @param {readonly string[]} modules paths of all modules in the bundles */
export function writeNotices(stage, modules) {
  writeFileSync(`${stage}/THIRD-PARTY-NOTICES.txt`, thirdPartyNotices(bundledPackages(modules)));
}

/** @param {string} folder of a package, from the root */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'));
}
