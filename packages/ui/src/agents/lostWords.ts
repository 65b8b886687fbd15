/** Says which agents a restart of the companion has cut off, up to what is to be typed in them. */
export function lostWords(name: string, count: number): string {
  return count === 1
    ? `${name} did not come back after the restart. If it still runs, type in it:`
    : `${count} of ${name} did not come back after the restart. In those that still run, type:`;
}
