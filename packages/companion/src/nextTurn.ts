let last: Promise<void> = Promise.resolve();

/**
 * Resolves after other work that is due has had its turn. Of many callers, one continues in each turn of the event
 * loop, so that together they take no more of it than one.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return last;
}
