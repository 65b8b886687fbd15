import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { stateFolder, thisMachine } from '@tandem/companion/control';
import { createToken, DiscoveryError, openOwnFolder, readDiscoveryFile } from '@tandem/companion/loopback';
import { describeError, type Logger, type Path } from '@tandem/core';
import * as z from 'zod';
import { workspaceKey } from '../workspaceKey.js';

/** Where a page is served, and what opens it for the tabs that have it. */
export interface PageAddress {
  readonly port: number;
  /** Stands in no address: browsers remember those. */
  readonly token: string;
}

const rememberedMs = 90 * 24 * 60 * 60 * 1000;

/** Not `token`: that is one which earlier versions have put into addresses. */
const rememberedAddress = z.object({ port: z.int().min(1).max(65_535), tabToken: z.string().min(32) });

/**
 * Remembers the page's port and token for these folders, so that a page that is open finds a companion that was started
 * anew. In a file of this user alone, beside the companions' own.
 */
export class PageAddressFile {
  readonly #folder: Path;
  readonly #name: string;
  readonly #logger: Logger;

  constructor(folders: readonly Path[], logger: Logger) {
    this.#folder = join(stateFolder(thisMachine()), 'pages');
    this.#name = `${workspaceKey(folders)}.json`;
    this.#logger = logger;
  }

  /** The address that was served last, if any. */
  read(): PageAddress | undefined {
    const parsed = rememberedAddress.safeParse(this.#find()?.content);
    return parsed.success ? { port: parsed.data.port, token: parsed.data.tabToken } : undefined;
  }

  /**
   * Remembers an address that is served now. Not where another companion of the same folders lives: the address is
   * its. A folder that cannot be written costs no more than the memory.
   */
  write(address: PageAddress): void {
    const known = this.read();
    const isKnown = known?.port === address.port && known.token === address.token;
    if (!isKnown && this.#find()?.isHeld) return;
    try {
      removeOld(this.#folder);
      const { port, token } = address;
      openOwnFolder(this.#folder).write(this.#name, { port, tabToken: token }, port);
    } catch (error) {
      if (!(error instanceof DiscoveryError)) throw error;
      this.#logger.warn('the address of the page is not remembered', { error: describeError(error) });
    }
  }

  #find(): ReturnType<typeof readDiscoveryFile> {
    return readDiscoveryFile(join(this.#folder, this.#name));
  }
}

/**
 * Listens where a page of these folders may be waiting for us, or else somewhere new. With `port`, there or nowhere.
 * `listen` resolves to the port, and rejects when it cannot be had.
 */
export async function takePageAddress(options: {
  readonly file: PageAddressFile;
  readonly listen: (port: number) => Promise<number>;
  readonly port?: number;
}): Promise<PageAddress> {
  const { file, listen } = options;
  const known = file.read();
  const address = await take(known, listen, options.port);
  file.write(address);
  return address;
}

async function take(
  known: PageAddress | undefined,
  listen: (port: number) => Promise<number>,
  port: number | undefined,
): Promise<PageAddress> {
  if (port !== undefined) {
    await listen(port);
    return known?.port === port ? known : { port, token: createToken(32) };
  }
  if (known !== undefined) {
    try {
      await listen(known.port);
      return known;
    } catch {
      // Somebody else has it. Whoever that is may have been sent the token by a page: the next address has another.
    }
  }
  return { port: await listen(0), token: createToken(32) };
}

/** Folders come and go, and nobody comes back to most of these addresses. */
function removeOld(folder: Path): void {
  const limit = Date.now() - rememberedMs;
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const { mtimeMs = limit } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < limit && readDiscoveryFile(path)?.isHeld === false) rmSync(path, { force: true });
  }
}

function namesIn(folder: Path): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
