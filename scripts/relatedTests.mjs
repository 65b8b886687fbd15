import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { root } from './devTool.mjs';
import { importTypeScript } from './importTypeScript.mjs';

/** Changes of these concern every test. */
const everything =
  /^(package(-lock)?\.json|vitest\.config\.ts|tsconfig[^/]*\.json|test\/(?!.*\.test\.ts$).*)$/;
/** What vitest can follow from a test: modules, and what they import. */
const modules = /\.(ts|tsx|mjs|js)$/;
const packageOf = /^(packages|hosts)\/[^/]+\//;

/**
 * The arguments with which vitest runs the fast tests that the change concerns: what is not committed, and the commits that the
 * upstream or the main branch lacks. The tests of the repository itself, which read its files, are always among them. So are all
 * tests of a package in which a file changed that is no module. Undefined: all tests.
 *
 * @returns {Promise<string[] | undefined>}
 */
export async function relatedTests() {
  const { withoutGitVariables } = await importTypeScript('scripts/workTree.ts');
  const git = (...args) =>
    execFileSync('git', args, {
      cwd: root,
      env: withoutGitVariables(process.env),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  let changed;
  try {
    const tracked = git('diff', '--name-only', '-z', baseOf(git));
    changed = `${tracked}${git('ls-files', '--others', '--exclude-standard', '-z')}`
      .split('\0')
      .filter(Boolean);
  } catch {
    // A checkout without git, or without a commit.
    return undefined;
  }
  if (changed.some((path) => everything.test(path))) return undefined;
  const found = changed.filter((path) => modules.test(path) && existsSync(`${root}${path}`));
  const others = changed.filter((path) => !modules.test(path)).map((path) => packageOf.exec(path)?.[0]);
  const folders = ['', ...new Set(others.filter((folder) => folder !== undefined))];
  const whole = git('ls-files', '-z', '--', ...folders.map((folder) => `${folder}test/**.test.ts`));
  return ['related', '--run', ...found, ...whole.split('\0').filter(Boolean)];
}

/** The last commit that others have, as far as this checkout knows. */
function baseOf(git) {
  for (const branch of ['@{upstream}', 'origin/main', 'main']) {
    try {
      return git('merge-base', 'HEAD', branch).trim();
    } catch {
      // There is no such branch.
    }
  }
  return 'HEAD';
}
