/** So many sessions, processes and calls are remembered, the last ones. */
const maxRemembered = 100;

/** Sets a value that is forgotten after many newer ones. */
export function remember<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): void {
  known.delete(key);
  known.set(key, value);
  const [oldest] = known.keys();
  if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest);
}
