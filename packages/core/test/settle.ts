/** Lets everything that needs no time go on until it waits for something. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
