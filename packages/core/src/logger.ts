/** Data for a log message. Never a token, never file content. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The log. Hosts inject one; its methods must not throw. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Discards all messages. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** For an `Emitter`: logs what a listener threw, with the name of the event. */
export function logListenerError(logger: Logger, event: string): (error: unknown) => void {
  return (error) => logger.error(`a listener of ${event} failed`, { error: describeError(error) });
}

/** An unexpected thrown value, with its stack. */
export function describeFailure(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}

/** The message of an expected thrown value, with its causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${describeError(error.cause)}`;
}

/** The message of a thrown value, without its causes: for users and agents. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of a thrown error, such as `ENOENT` of the file system. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
