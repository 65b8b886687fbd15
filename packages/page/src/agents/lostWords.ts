/** Says which agents a restart of the companion has cut off, up to what is to be typed in them. */
export function lostWords(name: string, count: number): string {
  return count === 1
    ? `${name} has not reconnected since the restart. If it still runs, type in it:`
    : `${count} sessions of ${name} have not reconnected since the restart. If they still run, type in them:`;
}
