/**
 * `npm run test:latest`: installs the newest release of each agent CLI into a temporary folder, and runs the agent's
 * conversation of `npm test` with it. Fails if a test fails, or if no release could be tested.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { installBrowser } from './browserInstall.mjs';
import { root, runDevTool } from './devTool.mjs';
import { installE2e } from './e2eInstall.mjs';
import { importTypeScript } from './importTypeScript.mjs';
import { runNpm } from './lockedInstall.mjs';
import { npmOutput } from './npmOutput.mjs';

/** The dependency of e2e/package.json with each CLI, its test files, and the titles in them if they test others, too. */
const agents = [
  {
    name: 'Claude Code',
    dependency: '@anthropic-ai/claude-code-linux-x64',
    files: ['review', 'context'],
    titles: 'Claude Code',
  },
  { name: 'Codex CLI', dependency: 'codex-linux-x64', files: ['codex'] },
  { name: 'Copilot CLI', dependency: '@github/copilot-linux-x64', files: ['copilot'] },
  { name: 'Gemini CLI', dependency: '@google/gemini-cli', files: ['review'], titles: 'Gemini CLI' },
  { name: 'Kilo CLI', dependency: '@kilocode/cli-linux-x64', files: ['contextAgents'] },
  { name: 'opencode', dependency: 'opencode-linux-x64', files: ['contextAgents'] },
  { name: 'pi', dependency: '@earendil-works/pi-coding-agent', files: ['hooks'], titles: '^pi\\b' },
  { name: 'Qwen Code', dependency: '@qwen-code/qwen-code', files: ['review'], titles: 'Qwen Code' },
];
/** The end of the versions of a package that has one version for each platform. */
const platform = '-linux-x64';

const { dependencies } = JSON.parse(readFileSync(`${root}e2e/package.json`, 'utf8'));
const { exhaustiveTag } = await importTypeScript('test/exhaustive.ts');

const obstacle = installE2e() ?? installBrowser();
if (obstacle !== undefined) {
  console.error(`Nothing was tested: ${obstacle}`);
  process.exit(1);
}
const results = [];
for (const agent of agents) results.push(await testNewest(agent));

console.log();
for (const { name, pinned, newest, outcome, failures = [] } of results) {
  console.log(`${name.padEnd(12)} pinned ${pinned.padEnd(8)} newest ${newest.padEnd(8)} ${outcome}`);
  for (const failure of failures) console.log(`  FAIL  ${failure}`);
}
const isTested = ({ failures }) => failures !== undefined;
const hasPassed = ({ failures }) => failures?.length === 0;
process.exitCode = results.some(isTested) && results.filter(isTested).every(hasPassed) ? 0 : 1;

/** Never rejects. There are no `failures` if nothing was tested. */
async function testNewest({ name, dependency, files, titles }) {
  const wanted = dependencies[dependency];
  const [, packageName = dependency, version = wanted] = /^npm:(.+)@(.+)$/.exec(wanted) ?? [];
  const pinned = version.replace(platform, '');
  const view = npmOutput(['view', packageName, 'version']);
  const newest = view.stdout.trim();
  if (view.status !== 0 || newest === '') {
    return { name, pinned, newest: 'unknown', outcome: `the registry does not name ${packageName}` };
  }
  const folder = mkdtempSync(`${tmpdir()}/tandem-latest-`);
  try {
    console.log(`\n${name} ${newest}`);
    const spec = `${dependency}@npm:${packageName}@${newest}${version.endsWith(platform) ? platform : ''}`;
    const problem = runNpm(folder, ['install', '--ignore-scripts', '--prefix', folder, spec]);
    if (problem !== undefined) return { name, pinned, newest, outcome: `does not install: ${problem}` };
    return { name, pinned, newest, ...(await runTests(folder, files, titles)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs an agent's tests with the CLI that is installed in a folder. */
async function runTests(folder, files, titles) {
  process.env.TANDEM_TEST_AGENTS = `${folder}/node_modules`;
  const json = `${folder}/results.json`;
  const paths = files.map((file) => `e2e/test/${file}.test.ts`);
  const filter = [`--tags-filter=!${exhaustiveTag.name}`, ...(titles ? ['-t', titles] : [])];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${json}`];
  const { isOk, problem } = await runDevTool(
    'vitest',
    ['run', '--config', 'e2e/vitest.config.ts', '--retry=1', ...filter, ...reporters, ...paths],
    { limitMinutes: 15 },
  );
  const { testResults = [] } = existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')) : {};
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failures = tests.filter(({ status }) => status === 'failed').map(({ title }) => title);
  // A file that cannot be loaded or set up has no failed test.
  if (failures.length === 0 && (!isOk || passed === 0)) failures.push(problem ?? 'no test was run');
  return { outcome: `${passed} passed, ${failures.length} failed`, failures };
}
