/**
 * `npm run check`: the one gate before a change is handed in. Everything runs in parallel; a step's output is
 * shown only when it fails. With names as arguments (`npm run check -- lint tests`) just those steps.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { root, runDevTool } from './devTool.mjs';

/** The longest first, so that the short ones fill the gaps. */
const steps = [
  { name: 'tests', program: 'vitest', args: ['run', '--project', 'fast', '--silent=passed-only'] },
  { name: 'types', program: 'tsc', args: ['-b', '--pretty'] },
  { name: 'types of tests', program: 'tsc', args: ['-p', 'tsconfig.test.json', '--pretty'] },
  { name: "types of the page's tests", program: 'tsc', args: ['-p', 'packages/page/test', '--pretty'] },
  { name: 'types of e2e', program: 'tsc', args: ['-p', 'e2e', '--pretty'] },
  { name: 'types of e2e-vscode', program: 'tsc', args: ['-p', 'e2e-vscode', '--pretty'] },
  { name: 'import rules', program: 'depcruise', args: ['packages', 'hosts', '--output-type', 'err-long'] },
  { name: 'dead code', program: 'knip', args: ['--no-progress', '--treat-config-hints-as-errors'] },
  // The length of files is one of its rules.
  {
    name: 'lint and format',
    program: 'biome',
    args: ['check', '--error-on-warnings', '--max-diagnostics', '100'],
  },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((word) => !steps.some(({ name }) => name.includes(word)));
if (unknown.length > 0) {
  const names = steps.map(({ name }) => name).join(', ');
  console.error(`No step is named ${unknown.join(', ')}. Steps: ${names}.`);
  process.exit(2);
}
const isWanted = ({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word));

/** The programs under test weigh more than a gigabyte; `npm test` installs them, this gate does not. */
const isMissing = (folder) => !existsSync(`${root}${folder}/node_modules`);
const isLeftOut = ({ name }) =>
  (name === 'types of e2e' && isMissing('e2e')) ||
  // It uses what drives the agents in e2e/.
  (name === 'types of e2e-vscode' && (isMissing('e2e') || isMissing('e2e-vscode')));

const startedAt = performance.now();
const results = new Map();
const waiting = steps.filter((step) => isWanted(step) && !isLeftOut(step));
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));

for (const step of steps.filter(isWanted)) console.log(summaryLine(step));
const failed = [...results.values()].filter(({ isOk }) => !isOk).length;
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`\n${failed === 0 ? 'ok' : `${failed} of ${results.size} failed`} in ${seconds} s`);
process.exitCode = failed === 0 ? 0 : 1;

async function work() {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const { name, program, args } = step;
    const chunks = [];
    const result = await runDevTool(program, args, {
      limitMinutes: 5,
      onOutput: (chunk) => chunks.push(chunk),
    });
    results.set(name, result);
    if (result.isOk) continue;
    // On one stream with the summary, so that a pipe keeps the order.
    console.log(`\n── ${name} ${'─'.repeat(70 - name.length)}`);
    console.log(`${Buffer.concat(chunks).toString('utf8').trim()}\n${result.problem}\n`);
  }
}

function summaryLine({ name }) {
  const result = results.get(name);
  if (result === undefined) {
    return `  -     ${name.padEnd(25)} left out: its package is not installed, npm test does that`;
  }
  return `  ${result.isOk ? 'ok  ' : 'FAIL'}  ${name.padEnd(25)} ${result.seconds.toFixed(1).padStart(5)} s`;
}
