/** Looks at a folder, reads what is to be read in small steps, and looks again. Says each step, so that a test can kill it there. */
import { writeSync } from 'node:fs';
import { defaultScanLimits } from '../../src/scan/scanner.js';
import { WorkerScan } from '../../src/scan/workerScan.js';
import { defaultStoreLimits } from '../../src/store/blobStore.js';

const [root = '', storeFolder = ''] = process.argv.slice(2);
const say = (): number => writeSync(1, '.');
const scan = new WorkerScan({
  ...{ root, named: root, storeFolder, ownerId: String(process.pid), denyList: [], whyNamed: undefined },
  ...{ limits: defaultScanLimits, storeLimits: defaultStoreLimits },
});
for (let round = 0; round < 3; round += 1) {
  scan.answer({ kind: 'look', hints: undefined });
  do say();
  while (scan.readSome(0.2));
}
