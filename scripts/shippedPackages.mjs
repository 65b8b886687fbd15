import { readdirSync, readFileSync } from 'node:fs';
import { root } from './devTool.mjs';

/** The licences, as SPDX expressions, that what we ship may have. */
const allowedLicences = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
]);

/**
 * @typedef {object} ShippedPackage
 * @property {string} name
 * @property {string} version
 * @property {string} licence SPDX expression; empty if the package states none
 */

/**
 * The packages of others that a user gets with ours, by the lock file: all but those for development, for other platforms
 * and ours.
 *
 * @returns {ShippedPackage[]}
 */
export function lockedPackages() {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
  return Object.entries(packages)
    .filter(
      ([path, { dev, link, optional, peer }]) =>
        path.includes('node_modules/') && !dev && !link && !optional && !peer,
    )
    .map(([path, { version, license = '' }]) => ({ name: nameIn(path), version, licence: license }));
}

/**
 * The packages of others in a bundle, sorted by name.
 *
 * @param {Iterable<string>} modules paths of the modules that a bundler included
 * @returns {(ShippedPackage & { folder: string })[]}
 */
export function bundledPackages(modules) {
  const folders = new Set();
  for (const path of modules) {
    const [folder] =
      /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path.split('\0').join('')) ?? [];
    if (folder !== undefined) folders.add(folder);
  }
  const found = [...folders].map((folder) => {
    const { name, version, license = '' } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    return { name, version, licence: license, folder };
  });
  const id = ({ name, version }) => `${name}@${version}`;
  const unique = [...new Map(found.map((each) => [id(each), each])).values()];
  return unique.sort((one, other) => (id(one) < id(other) ? -1 : 1));
}

/**
 * The licences of bundled packages as a text for `THIRD-PARTY-NOTICES.txt`. Packages with the same text share it.
 *
 * @param {ReturnType<typeof bundledPackages>} packages
 * @returns {string}
 * @throws {Error} when a licence is not allowed or a package has no licence text
 */
export function thirdPartyNotices(packages) {
  requireAllowedLicences(packages);
  const byText = new Map();
  for (const each of packages) {
    const text = noticesOf(each);
    byText.set(text, [...(byText.get(text) ?? []), `${each.name} ${each.version} (${each.licence})`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}`);
  const line = `\n\n${'-'.repeat(80)}\n\n`;
  return `This package contains the following software of others.${line}${parts.join(line)}\n`;
}

/**
 * @param {readonly ShippedPackage[]} packages
 * @throws {Error} that names each package whose licence is not allowed
 */
export function requireAllowedLicences(packages) {
  const refused = packages.filter(({ licence }) => !isAllowed(licence));
  if (refused.length === 0) return;
  const lines = refused.map(
    ({ name, version, licence }) => `  ${name} ${version}: ${licence || 'none stated'}`,
  );
  throw new Error(
    `These licences are not allowed:\n${lines.join('\n')}\nReplace the package, or allow its licence in scripts/shippedPackages.mjs.`,
  );
}

/** Alternatives, as in `(MIT OR GPL-3.0)`, need one that is allowed. */
function isAllowed(licence) {
  const alternatives = licence.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return alternatives.some((each) => allowedLicences.has(each.trim()));
}

/** The texts of the files in which a package states its licence and its notices. */
function noticesOf({ name, folder, licence }) {
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort();
  const texts = files.map((file) =>
    readFileSync(`${folder}/${file}`, 'utf8').replaceAll('\r\n', '\n').trim(),
  );
  if (texts.length > 0) return texts.join('\n\n');
  const author = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).author;
  const holder = typeof author === 'string' ? author : author?.name;
  if (holder === undefined) throw new Error(`${name} states neither a licence text nor an author.`);
  return `Copyright ${holder}. The package contains no licence text; its licence is ${licence}.`;
}

function nameIn(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
