import type { Disposable, LogFields, Logger } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from './companionHost.js';

/**
 * The output channel of the protocol: every message as one line of JSON, without tokens and file contents. It is
 * filled from when the person asks to see it on, and costs nothing before.
 */
export class ProtocolChannel implements Disposable {
  readonly #host: CompanionHost;
  #channel: vscode.OutputChannel | undefined;

  constructor(host: CompanionHost) {
    this.#host = host;
  }

  /** A message was sent or received. */
  write(line: string): void {
    this.#channel?.appendLine(line);
  }

  show(): void {
    if (this.#channel === undefined) {
      this.#channel = vscode.window.createOutputChannel('Tandem Protocol', 'jsonl');
      for (const line of this.#host.companion?.trace() ?? []) this.#channel.appendLine(line);
    }
    this.#channel.show(true);
  }

  dispose(): void {
    this.#channel?.dispose();
  }
}

/** Writes what the house logs to an output channel, whose level the person chooses. */
export function channelLogger(channel: vscode.LogOutputChannel): Logger {
  const line = (message: string, fields: LogFields | undefined): string =>
    fields === undefined ? message : `${message} ${JSON.stringify(fields)}`;
  return {
    debug: (message, fields) => channel.debug(line(message, fields)),
    info: (message, fields) => channel.info(line(message, fields)),
    warn: (message, fields) => channel.warn(line(message, fields)),
    error: (message, fields) => channel.error(line(message, fields)),
  };
}
