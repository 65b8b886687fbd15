/**
 * For `node --import`: simulates a full disk, or kills the process at a point of its journal. The file that `FAULTS`
 * names contains the fault, and is read before each write:
 * `full`: nothing can be written; `killBefore`, `killAfter`: the process is killed, without cleanup, before or after the
 * journal that contains this text is renamed to its final name.
 */
import fs, { readFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const control = process.env.FAULTS;

function faults() {
  try {
    return JSON.parse(readFileSync(control, 'utf8'));
  } catch {
    return {};
  }
}

/** The error as the system reports it. */
function fullDisk(syscall) {
  const error = new Error(`ENOSPC: no space left on device, ${syscall}`);
  return Object.assign(error, { code: 'ENOSPC', errno: -28, syscall });
}

for (const name of ['writeSync', 'writeFileSync']) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (faults().full) throw fullDisk('write');
    return real(...args);
  };
}
for (const name of ['write', 'writeFile']) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (faults().full) setImmediate(() => args.at(-1)(fullDisk('write')));
    else real(...args);
  };
}
const realWrite = promises.writeFile;
promises.writeFile = async (...args) => {
  if (faults().full) throw fullDisk('write');
  return realWrite(...args);
};
// The class has no other name.
const handle = await promises.open(process.execPath);
const handles = Object.getPrototypeOf(handle);
await handle.close();
const realHandleWrite = handles.write;
handles.write = async function write(...args) {
  if (faults().full) throw fullDisk('write');
  return realHandleWrite.apply(this, args);
};
const realRename = promises.rename;
promises.rename = async (from, to) => {
  const { killBefore, killAfter } = faults();
  const text = String(from).endsWith('.json.tmp') ? readFileSync(from, 'utf8') : '';
  if (killBefore !== undefined && text.includes(killBefore)) process.kill(process.pid, 'SIGKILL');
  await realRename(from, to);
  if (killAfter !== undefined && text.includes(killAfter)) process.kill(process.pid, 'SIGKILL');
};
syncBuiltinESMExports();
