/**
 * `npm run check`: the one gate before a change is handed in. Everything runs in parallel; a step's output is
 * shown only when it fails. With names as arguments (`npm run check -- lint tests`) just those steps.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { root, runSteps } from './steps.mjs';

/** The longest first, so that the short ones fill the gaps. */
const steps = [
  { name: 'tests', program: 'vitest', args: ['run', '--project', 'fast', '--reporter', 'dot'] },
  { name: 'types', program: 'tsc', args: ['-b', '--pretty'] },
  { name: 'types of tests', program: 'tsc', args: ['-p', 'tsconfig.test.json', '--pretty'] },
  { name: 'types of e2e', program: 'tsc', args: ['-p', 'e2e', '--pretty'] },
  { name: 'import rules', program: 'depcruise', args: ['packages', 'hosts', '--output-type', 'err-long'] },
  { name: 'dead code', program: 'knip', args: ['--no-progress', '--treat-config-hints-as-errors'] },
  // The length of files is one of its rules.
  { name: 'lint and format', program: 'biome', args: ['check', '--error-on-warnings', '--max-diagnostics', '50'] },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((word) => !steps.some(({ name }) => name.includes(word)));
if (unknown.length > 0) {
  console.error(`No step is named ${unknown.join(', ')}. Steps: ${steps.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const isWanted = ({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word));

/** The programs under test in e2e/ weigh half a gigabyte; `npm test` installs them, this gate does not. */
const isLeftOut = ({ name }) => name === 'types of e2e' && !existsSync(`${root}e2e/node_modules`);

const startedAt = performance.now();
const results = [];
await runSteps(
  steps.filter((step) => isWanted(step) && !isLeftOut(step)),
  Math.max(2, availableParallelism()),
  (result) => {
    results.push(result);
    if (!result.isOk) console.error(`\n── ${result.name} ${'─'.repeat(70 - result.name.length)}\n${result.output}`);
  },
);

const failed = results.filter(({ isOk }) => !isOk);
for (const step of steps.filter(isWanted)) console.log(summaryLine(step));
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(failed.length === 0 ? `\nok in ${seconds} s` : `\n${failed.length} of ${results.length} failed in ${seconds} s`);
process.exitCode = failed.length === 0 ? 0 : 1;

function summaryLine(step) {
  const result = results.find(({ name }) => name === step.name);
  if (result === undefined) return `  -     ${step.name.padEnd(18)} left out: e2e/ is not installed, npm test does that`;
  return `  ${result.isOk ? 'ok  ' : 'FAIL'}  ${step.name.padEnd(18)} ${result.seconds.toFixed(1).padStart(5)} s`;
}
