/** The measured values of one contender, all in the same unit. */
export interface Samples {
  readonly name: string;
  readonly values: readonly number[];
}

/**
 * Measures contenders in turns, so that other load on the machine affects all of them. Each call returns one value. The
 * first turns are discarded, because they include compilation.
 */
export async function takeTurns(
  contenders: Readonly<Record<string, () => Promise<number>>>,
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
): Promise<Record<string, Samples>> {
  const values = Object.fromEntries(Object.keys(contenders).map((name) => [name, [] as number[]]));
  const order = Object.entries(contenders);
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [name, contender] of order) {
      const value = await contender();
      if (round >= 0) values[name]?.push(value);
    }
    // The order rotates, so that no contender always follows the same one.
    order.push(...order.splice(0, 1));
  }
  return Object.fromEntries(Object.entries(values).map(([name, taken]) => [name, { name, values: taken }]));
}

/** The duration of a task, in milliseconds. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** The quantile of the samples at `share`. */
function quantile({ values }: Samples, share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function median(samples: Samples): number {
  return quantile(samples, 0.5);
}

/** One line: name, median, range of the middle nine tenths, and number of samples. */
export function describe(samples: Samples, unit = 'ms'): string {
  const [low, middle, high] = [0.05, 0.5, 0.95].map((share) => format(quantile(samples, share)));
  const spread = `[${low} to ${high}]`;
  return `  ${samples.name.padEnd(44)} ${(middle ?? '').padStart(8)} ${unit.padEnd(3)} ${spread.padEnd(20)} n=${samples.values.length}`;
}

/** One line that compares two medians. */
export function compare(ours: Samples, theirs: Samples, aim?: number): string {
  return describeValue(`${ours.name} : ${theirs.name}`, median(ours) / median(theirs), 'times', aim);
}

/** One line with one value and the aim, if there is one. */
export function describeValue(what: string, value: number, unit: string, aim?: number): string {
  const said = aim === undefined ? '' : `  aim: at most ${aim}`;
  return `  ${what.padEnd(44)} ${format(value).padStart(8)} ${unit}${said}`;
}

/** Three significant digits. */
export function format(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
