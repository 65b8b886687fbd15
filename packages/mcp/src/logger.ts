/** What the transport logs to. Structural on purpose: a host's own logger fits without an adapter. */
export interface TransportLogger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

const nothing = (): void => {};

/** Used where no logger is given. */
export const silentLogger: TransportLogger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** An unknown thrown value as a log field: the stack when there is one, because the log is where it helps. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}
