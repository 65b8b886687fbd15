/** A file of about this many bytes, in lines of normal length that all differ. */
export function makeText(bytes: number): string {
  const lines: string[] = [];
  for (let size = 0; size < bytes; size += 72) {
    lines.push(
      `export const value${lines.length} = compute(${lines.length}, 'some text of a file');`.padEnd(71, ' '),
    );
  }
  return `${lines.join('\n')}\n`;
}

/** The text with some changed lines, like an agent's proposal. Each `turn` gives a different proposal. */
export function changeText(text: string, turn: number): string {
  const lines = text.split('\n');
  for (const share of [0.1, 0.5, 0.9]) {
    const at = Math.floor(lines.length * share);
    lines[at] = `${lines[at]} // changed in turn ${turn}`;
  }
  return lines.join('\n');
}
