/**
 * `npm run check`: the gate before a change is committed. The steps run in parallel; the output of a step is
 * shown only if it fails. Of the fast tests it runs those that the change concerns, with `--all` all. Names as arguments
 * (`npm run check -- lint tests`) select steps; `npm test` runs all but the tests.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { root, runDevTool } from './devTool.mjs';
import { neovimPrograms } from './neovimInstall.mjs';
import { relatedTests } from './relatedTests.mjs';

/**
 * `npm test` installs the programs under test, over a gigabyte; this check does not. The types of e2e-vscode use the
 * sources of e2e.
 */
const isInstalled = (folder) => existsSync(`${root}${folder}/node_modules`);
const e2eProjects = isInstalled('e2e') ? ['e2e', ...(isInstalled('e2e-vscode') ? ['e2e-vscode'] : [])] : [];
/** What a step skips because it is not installed. */
const missing = {
  types: ['e2e', 'e2e-vscode'].filter((folder) => !e2eProjects.includes(folder)),
  Lua: neovimPrograms().luacheck === undefined ? ['luacheck'] : [],
};

const args = process.argv.slice(2);
const isWithoutTests = args.includes('--without-tests');
const wanted = args.filter((word) => !word.startsWith('--'));
const related = isWithoutTests || args.includes('--all') ? undefined : await relatedTests();

/** The longest first, so that the short ones fill the gaps. */
const steps = [
  {
    name: 'tests',
    program: 'vitest',
    args: [...(related ?? ['run']), '--project', 'fast', '--silent=passed-only'],
    note: related === undefined ? 'all fast tests' : 'the fast tests that the change concerns',
  },
  {
    name: 'types',
    program: 'tsc',
    // One checker each: several check the shared declarations several times.
    args: [
      '-b',
      '.',
      'tsconfig.test.json',
      'packages/page/test',
      'packages/chat-panel/test',
      ...e2eProjects,
      '--checkers',
      '1',
      '--pretty',
    ],
  },
  { name: 'import rules', program: 'depcruise', args: ['packages', 'hosts', '--output-type', 'err-long'] },
  { name: 'dead code', program: 'knip', args: ['--no-progress', '--treat-config-hints-as-errors'] },
  { name: 'workflows', program: 'checkWorkflows', args: [] },
  { name: 'Lua', program: 'checkLua', args: [] },
  // Reads what the types step writes.
  { name: 'public API', program: 'api', args: ['--check'], after: 'types' },
  { name: 'licences', program: 'licences', args: [] },
  // The length of files is one of its rules.
  {
    name: 'lint and format',
    program: 'biome',
    args: ['check', '--error-on-warnings', '--max-diagnostics', '100'],
  },
];

const unknown = args.filter((word) =>
  word.startsWith('--')
    ? !['--without-tests', '--all'].includes(word)
    : !steps.some(({ name }) => name.includes(word)),
);
if (unknown.length > 0) {
  const names = steps.map(({ name }) => name).join(', ');
  console.error(`No step is named ${unknown.join(', ')}. Steps: ${names}.`);
  process.exit(2);
}
const isNamed = ({ name }) =>
  wanted.length === 0 ? !(isWithoutTests && name === 'tests') : wanted.some((word) => name.includes(word));
const isWanted = (step) =>
  isNamed(step) || steps.some(({ after, ...each }) => after === step.name && isNamed(each));

const startedAt = performance.now();
const results = new Map();
const ends = new Map();
const queue = steps.filter(isWanted);
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));

for (const step of steps.filter(isWanted)) console.log(summaryLine(step));
const failed = [...results.values()].filter(({ isOk }) => !isOk).length;
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`\n${failed === 0 ? 'ok' : `${failed} of ${results.size} failed`} in ${seconds} s`);
process.exitCode = failed === 0 ? 0 : 1;

async function work() {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    const { name, program, args, after } = step;
    const chunks = [];
    const end = (ends.get(after) ?? Promise.resolve()).then(() =>
      runDevTool(program, args, { limitMinutes: 5, onOutput: (chunk) => chunks.push(chunk) }),
    );
    ends.set(name, end);
    const result = await end;
    results.set(name, result);
    if (result.isOk) continue;
    // On one stream with the summary, so that a pipe keeps the order.
    console.log(`\n── ${name} ${'─'.repeat(70 - name.length)}`);
    console.log(`${Buffer.concat(chunks).toString('utf8').trim()}\n${result.problem}\n`);
  }
}

function summaryLine({ name, note = '' }) {
  const { isOk, seconds } = results.get(name);
  const names = missing[name]?.join(', ') ?? '';
  const remark = names === '' ? note : `not installed: ${names}`;
  const line = `  ${isOk ? 'ok  ' : 'FAIL'}  ${name.padEnd(16)} ${seconds.toFixed(1).padStart(5)} s`;
  return remark === '' ? line : `${line} (${remark})`;
}
