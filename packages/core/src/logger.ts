/** Facts beside a message. Never a token, never file content. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where the house writes what happened. Hosts inject one; nothing in it may throw. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Swallows everything. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** For an `Emitter`: writes what a listener threw to the log, naming the event. */
export function logListenerError(logger: Logger, event: string): (error: unknown) => void {
  return (error) => logger.error(`a listener of ${event} failed`, { error: describeError(error) });
}

/** The message of whatever was thrown, with the causes behind it. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${describeError(error.cause)}`;
}
