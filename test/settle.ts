/** Waits until all promises that need no timer have settled. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
