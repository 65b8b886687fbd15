import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { awakeLimit, type FoundCompanion, stateFolder, thisMachine } from '@tandem/companion/control';
import { describeError, errorCode, type Path, visibleName } from '@tandem/core';
import { findCompanionFor } from './connectCompanion.js';
import { CommandError } from './exitCode.js';
import { commandName, printError } from './output.js';
import { onEndingSignal } from './processEnd.js';

const startLimitMs = 15_000;
const idleSeconds = 30;
const pollMs = 50;
/** How long other processes may hold the lock, in milliseconds. One that crashed loses it earlier. */
const turnLimitMs = 3 * startLimitMs;

/**
 * The companion of the current folder; starts one in the background if there is none. Of several concurrent `tandem run`
 * only one starts it.
 */
export async function companionOrNew(folder: Path): Promise<FoundCompanion> {
  const found = await findCompanionFor(folder);
  if (found !== undefined) return found;
  const state = stateFolder(thisMachine());
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new CommandError(
      `${state} cannot be written: ${describeError(cause)}. Make it writable, or set XDG_STATE_HOME.`,
    );
  }
  const turn = await takeTurn(join(state, 'starting.lock'));
  try {
    return (await findCompanionFor(folder)) ?? (await start(folder, join(state, 'serve.log')));
  } finally {
    turn.end();
  }
}

/** Starts `tandem serve` for a folder. It writes a log, and ends when it is idle. */
async function start(folder: Path, logFile: Path): Promise<FoundCompanion> {
  const logged = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const log = openSync(logFile, 'a', 0o600);
  const [, entry = ''] = process.argv;
  const child = spawn(process.execPath, [entry, 'serve', '--until-idle', String(idleSeconds)], {
    cwd: folder,
    detached: true,
    // Otherwise Windows opens a console for it.
    windowsHide: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const limit = awakeLimit(startLimitMs);
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`it ended with code ${code}`)));
      limit.signal.addEventListener('abort', () =>
        reject(new Error(`it was not ready within ${startLimitMs / 1000} s`)),
      );
    });
  } catch (cause) {
    child.kill();
    const output = readFileSync(logFile).subarray(logged).toString('utf8').trim();
    throw new CommandError(`The companion could not be started: ${output || describeError(cause)}`, 1, {
      cause,
    });
  } finally {
    limit.dispose();
    if (child.connected) child.disconnect();
    child.unref();
  }
  const companion = await findCompanionFor(folder);
  if (companion === undefined) {
    throw new CommandError(`The started companion cannot be found. Its log: ${logFile}`);
  }
  printError(
    `tandem: started a companion for ${visibleName(folder)} (process ${companion.pid}). Its review page: ${commandName} page`,
  );
  return companion;
}

/**
 * Waits for a lock: a folder, because creating one is atomic. Takes over a lock that a crash left; releases it when this
 * process ends. Throws `CommandError` if it does not get the lock in time.
 */
async function takeTurn(lock: Path): Promise<{ end(): void }> {
  const until = performance.now() + turnLimitMs;
  while (!tryLock(lock)) {
    if (performance.now() > until)
      throw new CommandError(
        `Other processes have been starting companions for ${turnLimitMs / 1000} s. If none is running, remove ${visibleName(lock)}`,
      );
    await delay(pollMs);
  }
  const unlock = (): void => removeLock(lock);
  const signals = onEndingSignal((code) => process.exit(code));
  process.on('exit', unlock);
  return {
    end() {
      signals.dispose();
      process.off('exit', unlock);
      unlock();
    },
  };
}

function tryLock(lock: Path): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    const held = statSync(lock, { throwIfNoEntry: false });
    if (held !== undefined && Date.now() - held.mtimeMs > 2 * startLimitMs) removeLock(lock);
    return false;
  }
}

function removeLock(lock: Path): void {
  try {
    rmdirSync(lock);
  } catch {
    // Another process took it over because we took too long.
  }
}
