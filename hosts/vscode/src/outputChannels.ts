import type { Disposable, LogFields, Logger } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from './companionHost.js';

/**
 * The output channel of the protocol: every message as one line of JSON, without tokens and file contents. The channel
 * is created when the user first opens it.
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
      this.#channel = vscode.window.createOutputChannel('Tandem: Messages', 'jsonl');
      for (const line of this.#host.companion?.trace.lines ?? []) this.#channel.appendLine(line);
    }
    this.#channel.show(true);
  }

  dispose(): void {
    this.#channel?.dispose();
  }
}

/** A logger that writes to an output channel, whose level the user chooses. */
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
