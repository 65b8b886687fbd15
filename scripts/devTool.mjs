import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const isWindows = process.platform === 'win32';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The entry of each tool, from the root. This Node runs them, without a shell. */
const programs = {
  biome: 'node_modules/@biomejs/biome/bin/biome',
  check: 'scripts/check.mjs',
  checkLua: 'scripts/checkLua.mjs',
  checkWorkflows: 'scripts/checkWorkflows.mjs',
  depcruise: 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
  installTestPrograms: 'scripts/installTestPrograms.mjs',
  api: 'scripts/api.mjs',
  knip: 'node_modules/knip/bin/knip.js',
  licences: 'scripts/licences.mjs',
  // TypeScript 7 takes a fifth of the time. Version 6 stays for the tools that use its API, which 7 lacks.
  tsc: 'node_modules/typescript-native/bin/tsc',
  vitest: 'node_modules/vitest/vitest.mjs',
};

/**
 * Runs a dev tool to its end. It has its own process group, so that its workers end with it: at the limit (a test may
 * loop forever) and when this process ends.
 *
 * @param {keyof typeof programs} program
 * @param {readonly string[]} args
 * @param {{ limitMinutes: number, onOutput?: (chunk: Buffer) => void }} options without `onOutput`, the tool inherits
 * our streams
 * @returns {Promise<{ isOk: boolean, seconds: number, problem?: string }>} never rejects
 */
export function runDevTool(program, args, { limitMinutes, onOutput }) {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const out = onOutput === undefined ? 'inherit' : 'pipe';
    const child = spawn(process.execPath, [`${root}${programs[program]}`, ...args], {
      cwd: root,
      env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
      stdio: ['ignore', out, out],
      // On Windows it would open a console.
      detached: !isWindows,
    });
    let problem;
    const kill = () => killGroup(child.pid);
    const limit = setTimeout(() => {
      problem = `${program} was ended after ${limitMinutes} minutes`;
      kill();
    }, limitMinutes * 60_000);
    process.once('exit', kill);
    const end = (isOk) => {
      clearTimeout(limit);
      process.off('exit', kill);
      const seconds = (performance.now() - startedAt) / 1000;
      resolve({ isOk, seconds, ...(problem !== undefined && { problem }) });
    };
    child.stdout?.on('data', onOutput);
    child.stderr?.on('data', onOutput);
    child.once('error', (error) => {
      problem = `${program} could not be started: ${error.message}`;
      end(false);
    });
    child.once('close', (code) => {
      if (code !== 0) problem ??= `${program} ended with code ${code}`;
      end(code === 0);
    });
  });
}

/** Ends a process and its children, if it has a process group of its own. @param {number | undefined} pid */
export function killGroup(pid) {
  try {
    if (pid === undefined) return;
    if (isWindows) spawnSync('taskkill', ['/pid', String(pid), '/t', '/f']);
    else process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
