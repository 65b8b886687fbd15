/** Structural, so that a host's logger needs no adapter. */
export interface TransportLogger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

const nothing = (): void => {};

export const silentLogger: TransportLogger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** A thrown value as a log field: with its stack. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}
