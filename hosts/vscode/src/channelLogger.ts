import type { LogFields, Logger } from '@tandem/core';
import type { LogOutputChannel } from 'vscode';

/** Writes what the house logs to an output channel, whose level the person chooses. */
export function channelLogger(channel: LogOutputChannel): Logger {
  const line = (message: string, fields: LogFields | undefined): string =>
    fields === undefined ? message : `${message} ${JSON.stringify(fields)}`;
  return {
    debug: (message, fields) => channel.debug(line(message, fields)),
    info: (message, fields) => channel.info(line(message, fields)),
    warn: (message, fields) => channel.warn(line(message, fields)),
    error: (message, fields) => channel.error(line(message, fields)),
  };
}
