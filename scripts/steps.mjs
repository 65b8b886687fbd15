import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The script that a dev tool of the root starts with, to be run by this very Node. */
const programs = {
  biome: 'node_modules/@biomejs/biome/bin/biome',
  depcruise: 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
  knip: 'node_modules/knip/bin/knip.js',
  tsc: 'node_modules/typescript/bin/tsc',
  vitest: 'node_modules/vitest/vitest.mjs',
};

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {keyof typeof programs} program
 * @property {readonly string[]} args
 *
 * @typedef {object} StepResult
 * @property {string} name
 * @property {boolean} isOk
 * @property {number} seconds
 * @property {string} output both streams, in the order in which they were written
 */

/** The command line of a dev tool, from `node` on. @param {keyof typeof programs} program */
export function commandLine(program, args = []) {
  return [process.execPath, `${root}${programs[program]}`, ...args];
}

/** Runs a step to its end and keeps what it prints. Never rejects. @param {Step} step @returns {Promise<StepResult>} */
export function runStep({ name, program, args }) {
  const startedAt = performance.now();
  const [node, ...rest] = commandLine(program, args);
  return new Promise((resolve) => {
    const env = { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) };
    const child = spawn(node, rest, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    const end = (isOk) =>
      resolve({
        name,
        isOk,
        seconds: (performance.now() - startedAt) / 1000,
        output: Buffer.concat(chunks).toString('utf8'),
      });
    child.once('error', (error) => {
      chunks.push(Buffer.from(`${error.message}\n`));
      end(false);
    });
    child.once('close', (code) => end(code === 0));
  });
}

/**
 * Runs steps, a few at a time, in the order given. @param {readonly Step[]} steps
 * @param {number} atOnce @param {(result: StepResult) => void} onDone
 */
export async function runSteps(steps, atOnce, onDone) {
  const waiting = [...steps];
  const work = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) onDone(await runStep(step));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
