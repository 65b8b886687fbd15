import type { Companion, HostPage } from '@tandem/companion';
import type { CompanionChat } from '@tandem/companion/chat';
import { describeError, type Logger, type Path } from '@tandem/core';
import type { ClosingMeans } from '@tandem/page/wire';
import type { PageEditor } from '../editor/pageEditor.js';
import { CommandError, exitCode } from '../exitCode.js';
import { builtPageFolder } from './pageAssets.js';
import { PageServer } from './pageServer.js';

/**
 * The page of `tandem serve`, from before its companion is there to after it is gone. A page that cannot be served does
 * not keep the companion from running. Whoever starts it calls `close`.
 */
export class ServedPage implements HostPage {
  #server: PageServer | undefined;
  #problem = 'The page is not served yet. Try again in a moment.';

  /** Serves the built page. Rejects with `CommandError` only when the person named a port that cannot be had. */
  async start(options: {
    readonly companion: Companion;
    readonly editor: PageEditor;
    readonly version: string;
    readonly logger: Logger;
    readonly port?: number;
    readonly whenClosed?: ClosingMeans;
    /** The folder of the built page; that of this installation when left out. */
    readonly folder?: Path;
  }): Promise<void> {
    const { port, folder = builtPageFolder() } = options;
    if (folder === undefined) {
      this.#problem = 'The page was not built, so there is none. In a checkout, build it with: npm run build';
      return;
    }
    try {
      this.#server = await PageServer.start({ ...options, folder });
    } catch (cause) {
      this.#problem = `The page cannot be served: ${describeError(cause)}.`;
      if (port === undefined) return;
      throw new CommandError(
        `The page cannot be served on port ${port}: ${whyNot(cause)}. Name another port, or leave --page-port out.`,
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

  /** Undefined while it is served. */
  problem(): string | undefined {
    return this.#server === undefined ? this.#problem : undefined;
  }

  /** The chat of the pages, while they are served. */
  get chat(): CompanionChat | undefined {
    return this.#server?.chat;
  }

  isOpen(): boolean {
    return (this.#server?.openPages ?? 0) > 0;
  }

  /** Shows the open pages that the demo is over, after their last answer. */
  async endDemo(): Promise<void> {
    await this.#server?.endDemo();
  }

  /** Ends the open pages. Never rejects, and can be called twice. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#problem = 'The companion stops.';
    await server?.close();
  }
}

function whyNot(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') return 'another program listens there';
  if (code === 'EACCES') return 'you are not allowed to listen there';
  return describeError(cause);
}
