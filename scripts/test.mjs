/**
 * `npm test`: all checks, and all tests but those tagged `exhaustive` (test/exhaustive.ts), with each agent's real CLI, a real
 * browser and real VS Code. `npm run test:all` (this script with `--all`) runs those, too. A run fails if a requirement of
 * test/requirements.ts whose tests it ran has none that passed, and if it changed the work tree. It lists what it did not
 * run; the last line has the counts.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { installBrowser } from './browserInstall.mjs';
import { root, runDevTool } from './devTool.mjs';
import { installE2e } from './e2eInstall.mjs';
import { installE2eVscode } from './e2eVscodeInstall.mjs';
import { installEmacs } from './emacsInstall.mjs';
import { importTypeScript } from './importTypeScript.mjs';
import { installNeovim } from './neovimInstall.mjs';
import { idsInTitle, loadRequirements } from './requirements.mjs';

const words = process.argv.slice(2);
if (words.some((word) => word !== '--all')) {
  console.error(`Unknown arguments: ${words.join(' ')}. The only one is --all.`);
  process.exit(2);
}
const isAll = words.includes('--all');
const { exhaustiveTag } = await importTypeScript('test/exhaustive.ts');

const resultFolder = `${root}test-results`;
rmSync(resultFolder, { recursive: true, force: true });
mkdirSync(resultFolder);

const { readWorkTree, changedPaths } = await importTypeScript('scripts/workTree.ts');
const treeBefore = readTree();

const counts = { passed: 0, failed: 0, skipped: 0 };
/** `<id> <file>` for each requirement id in the title of a test that passed. */
const proven = new Set();
/** `<id> <file>` for each requirement id in the title of a test that this run leaves to `npm run test:all`. */
const postponed = new Set();
/** The number of tests that this run leaves to `npm run test:all`, by file. */
const notRun = new Map();

/**
 * Only tests that drive third-party programs (agent CLIs, a browser, VS Code) are retried, once each, and at most three
 * per run. Tests of our own code, including those that start the `tandem` command, never are.
 */
const retryOnce = '--retry=1';
const maxRetries = 3;
/** The tests that failed at least once in a suite with retries, with all their errors. */
const retried = [];

const installation = startInstallation();
await runSuite('packages', [], 20);
await installation;
await runChecks();

const obstacle = installE2e() ?? installBrowser() ?? installEmacs() ?? installNeovim();
if (obstacle === undefined) await runSuite('e2e', ['--config', 'e2e/vitest.config.ts', retryOnce], 60);
else fail(`e2e was not run: ${obstacle}`);
const editorObstacle = obstacle ?? installE2eVscode({ withOldest: isAll });
if (editorObstacle === undefined) {
  await runSuite('e2e-vscode', ['--config', 'e2e-vscode/vitest.config.ts', retryOnce], 60);
} else fail(`e2e-vscode was not run: ${editorObstacle}`);
await checkRequirements();
checkWorkTree();
reportRetries();
reportNotRun();

const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
const more = isAll ? '' : `; npm run test:all runs ${sum(notRun.values())} more`;
console.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}${more}`);
process.exitCode = counts.failed === 0 && counts.skipped === 0 && counts.passed > 0 ? 0 : 1;

/** Installs the programs under test while other tests run, and prints the output at the end. */
async function startInstallation() {
  const output = [];
  const options = { limitMinutes: 20, onOutput: (chunk) => output.push(chunk) };
  await runDevTool('installTestPrograms', words, options);
  process.stdout.write(Buffer.concat(output));
}

/** Types, lint, import rules and the like: what `npm run check` checks besides the tests. */
async function runChecks() {
  const { isOk, problem } = await runDevTool('check', ['--without-tests'], { limitMinutes: 10 });
  if (!isOk) fail(`npm run check: ${problem}`);
}

/** Runs a vitest configuration and counts the results of its tests from vitest's JSON report. */
async function runSuite(name, args, limitMinutes) {
  const json = `${resultFolder}/${name}.json`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${json}`];
  const filter = isAll ? [] : [`--tags-filter=!${exhaustiveTag.name}`];
  const { isOk, problem, seconds } = await runDevTool('vitest', ['run', ...args, ...filter, ...reporters], {
    limitMinutes,
  });
  console.log(`The ${name} suite took ${Math.round(seconds)} s.\n`);
  const failedBefore = counts.failed;
  const { testResults: files = [] } = existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')) : {};
  for (const { status, assertionResults: tests, name: path } of files) {
    const file = relative(root, path);
    for (const test of tests) countTest(test, file, args.includes(retryOnce));
    // A test file that cannot be loaded reports no failed test.
    if (status === 'failed' && !tests.some((test) => test.status === 'failed')) {
      fail(`${file} could not be run`);
    }
  }
  if (!isOk && counts.failed === failedBefore) fail(`the ${name} suite: ${problem}`);
  else if (files.length === 0) fail(`the ${name} suite has no tests`);
}

function countTest({ status, fullName, tags = [], failureMessages: errors = [] }, file, isRetried) {
  if (!isAll && status === 'skipped' && tags.includes(exhaustiveTag.name)) {
    notRun.set(file, (notRun.get(file) ?? 0) + 1);
    for (const id of idsInTitle(fullName)) postponed.add(`${id} ${file}`);
    return;
  }
  if (isRetried && errors.length > 0) retried.push({ title: `${file} > ${fullName}`, status, errors });
  if (status === 'passed') {
    counts.passed += 1;
    for (const id of idsInTitle(fullName)) proven.add(`${id} ${file}`);
  } else if (status === 'failed') counts.failed += 1;
  else counts.skipped += 1;
}

async function checkRequirements() {
  let requirements;
  try {
    requirements = await loadRequirements();
  } catch (error) {
    fail(`test/requirements.ts cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  const { length } = requirements;
  const missing = ({ id, tests }, ...shown) =>
    tests.filter((file) => !shown.some((set) => set.has(`${id} ${file}`)));
  const isProven = (requirement) => requirement.tests.length > 0 && missing(requirement, proven).length === 0;
  console.log(`\n${requirements.filter(isProven).length} of ${length} requirements have tests that passed.`);
  const later = [];
  for (const requirement of requirements.filter((each) => !isProven(each))) {
    const files = missing(requirement, proven, postponed);
    if (requirement.tests.length > 0 && files.length === 0) later.push(requirement.id);
    else
      fail(
        `requirement ${requirement.id} has no test that passed: ${files.join(', ') || 'it names no test'}`,
      );
  }
  if (later.length > 0) {
    console.log(`${later.length} have tests in npm run test:all only: ${later.join(', ')}`);
  }
}

/** The state of the work tree; undefined in a checkout without git, which is reported. */
function readTree() {
  try {
    return readWorkTree(root);
  } catch (error) {
    const reason = String(error.stderr || error.message)
      .trim()
      .split('\n')[0];
    console.log(`Changes of the work tree are not checked: ${reason}`);
    return undefined;
  }
}

/** Tests write to their own folders. A file left in the checkout could be committed by mistake. */
function checkWorkTree() {
  if (treeBefore === undefined) return;
  const treeAfter = readTree();
  if (treeAfter === undefined) return fail('the work tree can no longer be read');
  for (const path of changedPaths(treeBefore, treeAfter)) {
    fail(`the work tree changed while the tests ran: ${JSON.stringify(path)}`);
  }
}

function reportRetries() {
  if (retried.length === 0) return;
  console.log(`\nRetried: ${retried.length}`);
  for (const { title, status, errors } of retried) {
    console.log(`\n${title}: ${status} after a retry`);
    for (const [at, error] of errors.entries())
      console.log(`  error ${at + 1}: ${error.replaceAll('\n', '\n    ')}`);
  }
  if (retried.length > maxRetries) fail(`${retried.length} tests were retried; at most ${maxRetries} may be`);
}

function reportNotRun() {
  if (notRun.size === 0) return;
  console.log('\nNot run, because only npm run test:all runs them:');
  for (const [file, count] of [...notRun].sort()) console.log(`  ${String(count).padStart(4)}  ${file}`);
}

function sum(numbers) {
  return [...numbers].reduce((total, each) => total + each, 0);
}

function fail(line) {
  counts.failed += 1;
  console.log(`FAIL  ${line}`);
}
