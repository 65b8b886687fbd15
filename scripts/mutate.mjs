/**
 * `npm run mutate -- FILE ...`: breaks source files in many small ways, one after the other, and lists the ways that no test
 * notices. Runs the fast tests of the files' own packages that import them, in a copy of the checkout; `--tests FOLDER` adds
 * those of another. `--limit N` tries at most N mutants, spread over the files. Exits with 1 if some survive.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { copyCheckout } from './copyCheckout.mjs';
import { killGroup, root } from './devTool.mjs';
import { mutantsOf } from './mutantsOf.mjs';

/** The limit for the tests of one mutant, as a multiple of the time of all tests without one. */
const slowdown = 3;
const minLimitMs = 30_000;
const baselineLimitMs = 20 * 60_000;
const shownCharacters = 60;

/** @typedef {import('./mutantsOf.mjs').Mutant} Mutant */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { limit: { type: 'string' }, tests: { type: 'string', multiple: true } },
});
const limit = Number(values.limit ?? Number.POSITIVE_INFINITY);
const sources = positionals.map((file) => relative(root, resolve(file)));
const isSource = (file) => /^(packages|hosts)\/[^/]+\/src\/.*\.tsx?$/.test(file);
if (sources.length === 0 || !sources.every(isSource) || !(limit > 0)) {
  console.error(
    'Usage: npm run mutate -- FILE ... [--tests FOLDER] [--limit N]   FILE: a source of packages or hosts',
  );
  process.exit(2);
}
const packages = sources.map((file) => file.split('/').slice(0, 2).join('/'));
const folders = [...new Set([...packages, ...(values.tests ?? [])])];
const copy = join(realpathSync(mkdtempSync(join(tmpdir(), 'tandem-mutants-'))), 'checkout');
const hits = join(copy, '..', 'hits');

/** The tests with one mutant, in a process group of its own, which ends when it takes too long. */
class Runner {
  #child;

  /** @returns {Promise<{ isOk: boolean, problems?: readonly string[], files?: readonly string[] } | undefined>} undefined at the limit */
  async run(/** @type {object} */ message, /** @type {number} */ limitMs) {
    this.#child ??= await this.#start();
    const child = this.#child;
    return new Promise((done) => {
      const end = (answer) => {
        clearTimeout(timer);
        child.off('message', end).off('exit', stop);
        done(answer);
      };
      const stop = () => {
        this.stop();
        end(undefined);
      };
      const timer = setTimeout(stop, limitMs);
      child.once('message', end).once('exit', stop);
      child.send(message);
    });
  }

  stop() {
    killGroup(this.#child?.pid);
    this.#child = undefined;
  }

  async #start() {
    const child = fork(join(copy, 'scripts/mutantRunner.mjs'), [sources.join(), folders.join()], {
      cwd: copy,
      env: { ...process.env, TANDEM_MUTANT_HITS: hits },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: process.platform !== 'win32',
    });
    await new Promise((ready, failed) => {
      child.once('message', ready).once('exit', () => failed(new Error('The tests could not be started.')));
    });
    return child;
  }
}

/** Decides in the tests which mutant is active; without one, notes which test files reach which. */
const switchText = `globalThis.isMutant ??= (() => {
  const { env } = process;
  const noted = new Set();
  return (id) => {
    if (env.TANDEM_MUTANT !== '0') return env.TANDEM_MUTANT === String(id);
    const hit = id + ' ' + globalThis.__vitest_worker__?.filepath + '\\n';
    if (!noted.has(hit)) process.getBuiltinModule('node:fs').appendFileSync(env.TANDEM_MUTANT_HITS, hit);
    noted.add(hit);
    return false;
  };
})();`;

const runner = new Runner();
process.once('exit', () => {
  runner.stop();
  rmSync(resolve(copy, '..'), { recursive: true, force: true, maxRetries: 5 });
});
console.log(
  `Copying the checkout, and running the tests of ${folders.join(', ')} that import what is to be broken …`,
);
copyCheckout(copy, { withModules: true });
const mutants = [];
for (const file of sources) {
  const found = mutantsOf(readFileSync(join(root, file), 'utf8'), file, mutants.length);
  writeFileSync(join(copy, file), `${switchText}${found.text}`);
  mutants.push(...found.mutants);
}
writeFileSync(hits, '');

const startedAt = performance.now();
const baseline = await runner.run({ id: 0 }, baselineLimitMs);
if (baseline?.isOk !== true) {
  console.error('The tests fail without a mutant, or there are none.', ...(baseline?.problems ?? []));
  process.exit(2);
}
const limitMs = Math.max(minLimitMs, slowdown * (performance.now() - startedAt));
const reachedBy = new Map();
for (const hit of readFileSync(hits, 'utf8').split('\n')) {
  const [id, testFile] = hit.split(/ (.*)/);
  reachedBy.set(Number(id), [...(reachedBy.get(Number(id)) ?? []), testFile]);
}

const step = Math.max(1, mutants.length / limit);
const tried = mutants.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
const survivors = [];
for (const mutant of tried) {
  // What runs when the module is loaded is noted for the first test file only.
  const files = mutant.isStatic ? baseline.files : reachedBy.get(mutant.id);
  const result = files === undefined ? { isOk: true } : await runner.run({ id: mutant.id, files }, limitMs);
  if (result?.isOk === true) {
    survivors.push(mutant);
    console.log(describe(mutant, files === undefined));
  }
}
console.log('\nsurvived  tried  all  file');
for (const file of sources) {
  const counts = [survivors, tried, mutants].map((all) => all.filter((each) => each.file === file).length);
  const [survived, ofTried, ofAll] = counts.map(String);
  console.log(`${survived.padStart(8)}  ${ofTried.padStart(5)}  ${ofAll.padStart(3)}  ${file}`);
}
process.exit(survivors.length === 0 ? 0 : 1);

function describe(
  /** @type {Mutant} */ { file, line, original, replacement },
  /** @type {boolean} */ isUnreached,
) {
  const [from, to] = [original, replacement === '' ? '(removed)' : replacement].map((code) => {
    const short = code.replace(/\s+/g, ' ');
    return short.length > shownCharacters ? `${short.slice(0, shownCharacters - 1)}…` : short;
  });
  return `${file}:${line}  ${from}  →  ${to}${isUnreached ? '   (no test reaches it)' : ''}`;
}
