import type { Companion, HostPage } from '@tandem/companion';
import type { CompanionChat } from '@tandem/companion/chat';
import { describeError, errorCode, type Logger, type Path } from '@tandem/core';
import type { WhenClosed } from '@tandem/reviews';
import type { PageEditor } from '../editor/pageEditor.js';
import { CommandError, exitCode } from '../exitCode.js';
import { builtPageFolder } from './pageAssets.js';
import { PageServer } from './pageServer.js';

/**
 * The page of `tandem serve`. It exists from before its companion starts until after it has stopped. If the page
 * cannot be served, the companion runs without it. The caller that starts it calls `close`.
 */
export class ServedPage implements HostPage {
  #server: PageServer | undefined;
  #problem = 'The page is not served yet. Try again in a moment.';

  /** Serves the built page. Rejects with `CommandError` only if the user named a port that is not available. */
  async start(options: {
    readonly companion: Companion;
    readonly editor: PageEditor;
    readonly version: string;
    readonly logger: Logger;
    readonly port?: number;
    readonly whenClosed?: WhenClosed;
    /** The folder of the built page. Default: that of this installation. */
    readonly folder?: Path;
  }): Promise<void> {
    const { port, folder = builtPageFolder() } = options;
    if (folder === undefined) {
      this.#problem = 'The page is not built. In a checkout, build it with: npm run build';
      return;
    }
    try {
      this.#server = await PageServer.start({ ...options, folder });
    } catch (cause) {
      this.#problem = `The page cannot be served: ${describeError(cause)}.`;
      if (port === undefined) return;
      throw new CommandError(
        `The page cannot be served on port ${port}: ${whyNot(cause)}. Choose another port, or omit --page-port.`,
        exitCode.failed,
        { cause },
      );
    }
  }

  address(): string | undefined {
    return this.#server?.url;
  }

  addressForOpening(): string | undefined {
    return this.#server?.addressForOpening();
  }

  /** `undefined` while the page is served. */
  problem(): string | undefined {
    return this.#server === undefined ? this.#problem : undefined;
  }

  /** The chat of the pages, while the page is served. */
  get chat(): CompanionChat | undefined {
    return this.#server?.chat;
  }

  isOpen(): boolean {
    return (this.#server?.openPages ?? 0) > 0;
  }

  /** Reports the end of the demo to the open pages, after their last answer. */
  async endDemo(): Promise<void> {
    await this.#server?.endDemo();
  }

  /** Closes the open pages. Never rejects. Idempotent. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#problem = 'The companion is stopping.';
    await server?.close();
  }
}

function whyNot(cause: unknown): string {
  const code = errorCode(cause);
  if (code === 'EADDRINUSE') return 'another program listens there';
  if (code === 'EACCES') return 'you are not allowed to listen there';
  return describeError(cause);
}
