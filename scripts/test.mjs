/**
 * `npm test`: every test there is, those with the real agent CLIs and in real VS Code included, and the proof that each
 * requirement of test/requirements.ts was held by tests that passed in this very run. A run that changes the work tree
 * fails. Closes with one line of counts.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { installBrowser } from './browserInstall.mjs';
import { root, runDevTool } from './devTool.mjs';
import { installE2e } from './e2eInstall.mjs';
import { installE2eVscode } from './e2eVscodeInstall.mjs';
import { importTypeScript } from './importTypeScript.mjs';
import { idsInTitle, loadRequirements } from './requirements.mjs';

const resultFolder = `${root}test-results`;
rmSync(resultFolder, { recursive: true, force: true });
mkdirSync(resultFolder);

const { readWorkTree, changedPaths } = await importTypeScript('scripts/workTree.ts');
const treeBefore = workTreeNow();

const counts = { passed: 0, failed: 0, skipped: 0 };
/** `<id> <file>` of every id that a test which passed carries. */
const carried = new Set();

/**
 * Real processes and programs of others are driven here, two at a time on a machine that may be busy: what fails is tried
 * once more. It is told, and more of them than these, of some three thousand, fail the run.
 */
const triedTwice = '--retry=1';
const maxSecondTries = 8;
/** What passed at the second try, and what the first said. */
const secondTries = [];

await runSuite('packages', [triedTwice], 20);
const obstacle = installE2e() ?? installBrowser();
if (obstacle === undefined) await runSuite('e2e', ['--config', 'e2e/vitest.config.ts', triedTwice], 60);
else fail(`e2e was not run: ${obstacle}`);
const editorObstacle = obstacle ?? installE2eVscode();
if (editorObstacle === undefined) {
  await runSuite('e2e-vscode', ['--config', 'e2e-vscode/vitest.config.ts', triedTwice], 60);
} else fail(`e2e-vscode was not run: ${editorObstacle}`);
await checkRequirements();
checkWorkTree();
tellSecondTries();

const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exitCode = counts.failed === 0 && counts.skipped === 0 && counts.passed > 0 ? 0 : 1;

/** Runs one vitest configuration and counts from its JSON what became of every test. */
async function runSuite(name, args, limitMinutes) {
  const json = `${resultFolder}/${name}.json`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${json}`];
  const { isOk, problem } = await runDevTool('vitest', ['run', ...args, ...reporters], { limitMinutes });
  const failedBefore = counts.failed;
  const { testResults: files = [] } = existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')) : {};
  for (const { status, assertionResults: tests, name: path } of files) {
    const file = relative(root, path);
    for (const test of tests) countTest(test, file);
    // A file that cannot be loaded has no tests that could fail.
    if (status === 'failed' && !tests.some((test) => test.status === 'failed')) {
      fail(`${file} could not be run`);
    }
  }
  if (!isOk && counts.failed === failedBefore) fail(`the ${name} suite: ${problem}`);
  else if (files.length === 0) fail(`the ${name} suite has no tests`);
}

function countTest({ status, fullName, failureMessages: failures = [] }, file) {
  if (status === 'passed') {
    counts.passed += 1;
    if (failures.length > 0) secondTries.push(`${file} > ${fullName}\n  ${failures[0].split('\n')[0]}`);
    for (const id of idsInTitle(fullName)) carried.add(`${id} ${file}`);
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
  const isHeld = ({ id, tests }) => tests.length > 0 && tests.every((file) => carried.has(`${id} ${file}`));
  const unheld = requirements.filter((requirement) => !isHeld(requirement));
  const { length } = requirements;
  console.log(`\n${length - unheld.length} of ${length} requirements are held by tests that passed.`);
  for (const { id, tests } of unheld) {
    const missing = tests.filter((file) => !carried.has(`${id} ${file}`)).join(', ') || 'it names no test';
    fail(`requirement ${id} is not held by a test that passed: ${missing}`);
  }
}

/** What git says of the work tree; undefined in a checkout without git, which is said once. */
function workTreeNow() {
  try {
    return readWorkTree(root);
  } catch (error) {
    const reason = String(error.stderr || error.message)
      .trim()
      .split('\n')[0];
    console.log(`Whether the tests change the work tree is not checked: ${reason}`);
    return undefined;
  }
}

/** Tests write into folders of their own. What they leave in the checkout would be committed some day. */
function checkWorkTree() {
  if (treeBefore === undefined) return;
  const treeAfter = workTreeNow();
  if (treeAfter === undefined) return fail('the work tree cannot be read any more');
  for (const path of changedPaths(treeBefore, treeAfter)) {
    fail(`the work tree changed while the tests ran: ${JSON.stringify(path)}`);
  }
}

function tellSecondTries() {
  if (secondTries.length === 0) return;
  console.log(`\nPassed only at the second try: ${secondTries.length}`);
  for (const each of secondTries) console.log(each);
  if (secondTries.length > maxSecondTries) fail(`more than ${maxSecondTries} tests needed a second try`);
}

function fail(line) {
  counts.failed += 1;
  console.log(`FAIL  ${line}`);
}
