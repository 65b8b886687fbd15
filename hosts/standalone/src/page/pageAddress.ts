import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { stateFolder, thisMachine } from '@tandem/companion/control';
import { createToken, DiscoveryError, openOwnFolder, readDiscoveryFile } from '@tandem/companion/loopback';
import { describeError, type Logger, type Path } from '@tandem/core';
import * as z from 'zod';
import { workspaceKey } from '../workspaceState.js';

/** The port of a page, and the token that authorizes its open tabs after a restart. */
export interface PageAddress {
  readonly port: number;
  /** Never part of a URL: browsers remember those. */
  readonly token: string;
}

const rememberedMs = 90 * 24 * 60 * 60 * 1000;

/** `tabToken`, not `token`: earlier versions put the token of that name into URLs. */
const rememberedAddress = z.object({ port: z.int().min(1).max(65_535), tabToken: z.string().min(32) });

/**
 * Stores the page's port and token for these folders, so that an open page finds a restarted companion. The file is
 * private to this user and lies beside the companions' own files.
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

  /** The last served address, if any. */
  read(): PageAddress | undefined {
    const parsed = rememberedAddress.safeParse(this.#find()?.content);
    return parsed.success ? { port: parsed.data.port, token: parsed.data.tabToken } : undefined;
  }

  /**
   * Stores the address that is served now, unless another companion of the same folders runs: the stored address
   * belongs to that one. If the folder cannot be written, the address is only not stored.
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
 * Listens on the stored port, where an open page of these folders may reconnect, or otherwise on a new one. With
 * `port`, only on that port. `listen` resolves to the port, and rejects if the port is not available.
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
      // Another process has the port. A page may have sent it the token, so the next address gets a new one.
    }
  }
  return { port: await listen(0), token: createToken(32) };
}

/** Folders come and go, and most of these addresses are never used again. */
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
