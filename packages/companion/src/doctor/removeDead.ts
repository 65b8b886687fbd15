import { describeAddress, removeQuietly } from '@tandem/mcp';
import { type DoctorFacts, isDead } from './doctorFacts.js';
import { readersOf } from './gatherFacts.js';
import { createProbe, readFiles } from './readFiles.js';

/**
 * Removes stale discovery files. Checks each one again first: another companion may have taken its name or its port
 * meanwhile.
 */
export async function removeDead(
  facts: DoctorFacts,
): Promise<{ readonly file: string; readonly reason: string }[]> {
  const dead = new Set(facts.files.filter(isDead).map(({ path }) => path));
  if (dead.size === 0) return [];
  const probe = createProbe();
  const again = await Promise.all(readersOf().map((reader) => readFiles(reader, facts.machine, probe)));
  return again
    .flat()
    .filter((file) => dead.has(file.path) && isDead(file) && removeQuietly(file.path))
    .map(({ path, announced }) => ({
      file: path,
      reason: `process ${announced?.writer?.pid ?? announced?.announcement.pid} has ended and no program listens at ${announced && describeAddress(announced.announcement.address)}`,
    }));
}
