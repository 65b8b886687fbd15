/** The worker of a scan. The host bundles this file; see `FolderScanOptions.workerFile`. */
import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerCall, WorkerStart } from './workerCalls.js';
import { WorkerScan } from './workerScan.js';

const port = parentPort;
if (port === null) throw new Error('This file runs as a worker.');
// Both are from our own process, whose module `folderScan.ts` has the same types.
const scan = new WorkerScan(workerData as WorkerStart);

/** For how long contents are read before calls are answered, and the pause for other programs. */
const [sliceMs, pauseMs] = [20, 2];
let isReading = false;

function readOn(): void {
  isReading = scan.readSome(sliceMs);
  if (isReading) setTimeout(readOn, pauseMs);
}

port.on('message', ({ id, call }: { readonly id: number; readonly call: WorkerCall }) => {
  const value = scan.answer(call);
  const transfer = value instanceof Uint8Array && value.buffer instanceof ArrayBuffer ? [value.buffer] : [];
  port.postMessage({ id, value, status: scan.status() }, transfer);
  if (call.kind === 'close' || call.kind === 'delete') port.close();
  else if (!isReading) {
    isReading = true;
    setTimeout(readOn, pauseMs);
  }
});
