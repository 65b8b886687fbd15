let last: Promise<void> = Promise.resolve();

/**
 * Resolves once other work that is due has had its turn. Of many that wait, one goes on in each turn of the event loop, so
 * that all together take no more of it than one.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return last;
}
