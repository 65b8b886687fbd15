import { expect, test } from 'vitest';
import { askToEnd, killTree, type ProcessSystem } from '../src/qwenServe/processTree.js';

/** Records what a system is asked to do with process 7 and its children. */
function on(platform: NodeJS.Platform) {
  const done: string[] = [];
  const system: ProcessSystem = {
    platform,
    kill: (pid, signal) => void done.push(`${signal} to ${pid}`),
    run: (program, args) => void done.push([program, ...args].join(' ')),
  };
  const child = {
    pid: 7,
    kill: (signal?: NodeJS.Signals | number) => done.push(`${signal} to the child`) > 0,
  };
  return { done, system, child };
}

test.each(['linux', 'darwin'] as const)('asks the daemon alone, then kills its group, on %s', (platform) => {
  const { done, system, child } = on(platform);
  askToEnd(child, system);
  killTree(child, system);
  expect(done).toEqual(['SIGTERM to the child', 'SIGKILL to -7']);
});

test('kills the shell with the daemon on Windows, where the daemon would outlive its shell', () => {
  const { done, system, child } = on('win32');
  askToEnd(child, system);
  expect(done).toEqual(['taskkill /pid 7 /t /f']);
});

test('ignores a group that has ended, and a process that did not start', () => {
  const { done, system } = on('linux');
  killTree({ pid: undefined, kill: () => false }, system);
  const kill = (): never => {
    throw new Error('ESRCH');
  };
  killTree({ pid: 7, kill: () => false }, { ...system, kill });
  expect(done).toEqual([]);
});
