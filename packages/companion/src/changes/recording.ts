import type { ScanStatus } from '@tandem/changes';
import type { FolderRecording } from '@tandem/rpc';

const namedOnly = 'only files that hooks name';

/** What of a folder is recorded, in words. `bytes`: what its copies take on the disk. */
export function describeRecording(
  folder: string,
  { mode, why, problem, owner, files, folder: place }: ScanStatus,
  bytes: number,
): FolderRecording {
  const isWhole = mode === 'whole';
  const reason = owner === undefined ? why : `another Tandem (process ${owner}) looks at this folder`;
  const scope = isWhole ? 'all files that commands of agents change' : namedOnly;
  const what = isWhole || reason === undefined ? scope : `${scope}: ${reason}`;
  return {
    folder,
    isWhole,
    note: problem === undefined ? what : `${what}; ${problem}`,
    ...(files > 0 && { files }),
    copies: {
      folder: place,
      bytes,
      note: bytes === 0 ? 'no copies' : `copies: ${sizeOf(bytes)} in ${place}`,
    },
  };
}

/** Such as `3.2 MB`. */
function sizeOf(bytes: number): string {
  const [unit, name] = bytes < 1_000_000 ? [1_000, 'kB'] : [1_000_000, 'MB'];
  return `${Math.max(bytes / unit, 0.1).toFixed(1)} ${name}`;
}

/** The same if the user has switched the copies off. */
export function describeUnrecorded(folder: string): FolderRecording {
  return { folder, isWhole: false, note: `${namedOnly}: copies of files are switched off` };
}
