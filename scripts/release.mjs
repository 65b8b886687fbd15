/**
 * `npm run release`: publishes a release of the checkout, which must have no changes that are not committed. It works in
 * a copy: it sets the versions from the changesets, runs the checks and all tests, packs, and writes the bill of materials,
 * the checksums and the notes into `release/`. Then it publishes what the environment's tokens allow, and reports what it
 * skipped. With `--dry-run` it publishes nothing and leaves the checkout as it is.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './devTool.mjs';

const isDryRun = process.argv.includes('--dry-run');
const unknown = process.argv.slice(2).filter((word) => word !== '--dry-run');
if (unknown.length > 0) fail(`Unknown: ${unknown.join(' ')}. Usage: npm run release -- [--dry-run]`);

const outFolder = `${root}release`;
/** What is published, the environment variable with the token, and how. The core comes first: the others need it. */
const targets = [
  ...['tandem-core', 'tandem-reviews', 'tandem-testing', 'tandem-companion', 'tandem-cli'].map((name) => ({
    name,
    token: 'NODE_AUTH_TOKEN',
    publish: (file) => run('npm', ['publish', file, '--access', 'public', ...provenance()], root, npmToken()),
  })),
  {
    name: 'tandem-vscode',
    token: 'VSCE_PAT',
    publish: (file) =>
      run(
        process.execPath,
        [`${root}node_modules/@vscode/vsce/vsce`, 'publish', '--packagePath', file],
        root,
      ),
  },
  {
    name: 'tandem-vscode',
    token: 'OVSX_PAT',
    publish: (file) => run('npx', ['--yes', 'ovsx@0.10.12', 'publish', file], root),
  },
];

if (output('git', ['status', '--porcelain'], root) !== '')
  fail('The checkout has changes that are not committed. Commit them first.');
const work = mkdtempSync(join(tmpdir(), 'tandem-release-'));
try {
  const copy = join(work, 'tandem');
  run('git', ['clone', '--quiet', root, copy], work);
  run('npm', ['ci'], copy);
  const version = applyChangesets(copy);
  run('npm', ['run', 'test:all'], copy);
  makeRelease(copy, version);
  if (!isDryRun) publish(copy, version);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Sets the versions and writes the change logs, if changesets are pending. @returns {string} the version */
function applyChangesets(copy) {
  const pending = readdirSync(join(copy, '.changeset')).filter((name) => name.endsWith('.md'));
  if (pending.length > 0) {
    run('npx', ['changeset', 'version'], copy);
    run('npm', ['run', 'api', '--', '--release'], copy);
    run('npm', ['install', '--package-lock-only', '--ignore-scripts'], copy);
    run('git', ['add', '--all'], copy);
  }
  const { version } = JSON.parse(readFileSync(join(copy, 'hosts/standalone/package.json'), 'utf8'));
  const { GITHUB_REF_TYPE: type, GITHUB_REF_NAME: tag } = process.env;
  if (type === 'tag' && tag !== `v${version}`) {
    fail(
      `The tag ${tag} is not that of version ${version}. Run "npx changeset version", commit and tag that.`,
    );
  }
  if (pending.length > 0) run('git', ['commit', '--quiet', '--message', `Release ${version}`], copy);
  console.log(`Version ${version}, from ${pending.length} changesets.`);
  return version;
}

function makeRelease(copy, version) {
  const packed = join(copy, 'release');
  run('npm', ['run', 'pack', '--', packed], copy);
  run('npm', ['run', 'sbom', '--', join(packed, `tandem-${version}.cdx.json`)], copy);
  writeFileSync(join(packed, 'NOTES.md'), releaseNotes(copy, version));
  const sums = readdirSync(packed)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(packed, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(packed, 'SHA256SUMS'), sums.join(''));
  rmSync(outFolder, { recursive: true, force: true });
  cpSync(packed, outFolder, { recursive: true });
  console.log(`\n${outFolder}:\n${sums.join('')}`);
}

/** What the change logs of the packages say about this version. */
function releaseNotes(copy, version) {
  const logs = {
    'tandem-cli': 'hosts/standalone',
    'tandem-vscode': 'hosts/vscode',
    '@tandem/core': 'packages/core',
    '@tandem/reviews': 'packages/reviews',
    '@tandem/testing': 'packages/testing',
    '@tandem/companion': 'packages/companion',
  };
  const parts = Object.entries(logs).flatMap(([name, folder]) => {
    const file = join(copy, folder, 'CHANGELOG.md');
    const log = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const section = log.split(/^## /m).find((each) => each.startsWith(`${version}\n`));
    return section === undefined ? [] : [`## ${name}\n${section.slice(version.length).trimEnd()}\n`];
  });
  return `# Tandem ${version}\n\n${parts.join('\n')}`;
}

/** Publishes, and then commits the versions and tags them in the checkout. Pushing is left to the caller. */
function publish(copy, version) {
  const skipped = targets.filter(({ token }) => !process.env[token]);
  for (const { name, token, publish: send } of targets) {
    const file = readdirSync(outFolder).find((each) => each.startsWith(`${name}-${version}.`));
    if (process.env[token] && file !== undefined) send(join(outFolder, file));
  }
  for (const { name, token } of skipped) console.log(`Skipped: ${name}, because ${token} is not set.`);
  if (skipped.length === targets.length) return;
  // The tag is there already if it started this release.
  if (output('git', ['tag', '--list', `v${version}`], root) === '') {
    run('git', ['pull', '--quiet', '--ff-only', copy, 'HEAD'], root);
    run('git', ['tag', '--annotate', '--message', `Tandem ${version}`, `v${version}`], root);
  }
  console.log(`\nPublished ${version}. Now: git push --follow-tags`);
}

/** Gives npm the token for its registry by an environment variable: arguments can be read by other users. */
function npmToken() {
  const registry = output('npm', ['config', 'get', 'registry'], root).replace(/^https?:/, '');
  return { [`npm_config_${registry}:_authToken`]: process.env.NODE_AUTH_TOKEN };
}

/** Only GitHub's runners can prove where a package was built. */
function provenance() {
  return process.env.ACTIONS_ID_TOKEN_REQUEST_URL === undefined ? [] : ['--provenance'];
}

function run(command, args, cwd, env = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  });
  if (status !== 0)
    fail(`"${command} ${args.join(' ')}" failed${error === undefined ? '' : `: ${error.message}`}.`);
}

function output(command, args, cwd) {
  return spawnSync(command, args, { cwd, encoding: 'utf8' }).stdout.trim();
}

function fail(message) {
  throw new Error(message);
}
