import { RpcError } from '@tandem/rpc';
import type { PageAddress } from './controlContract.js';

/**
 * The page that a host serves to a browser, as the companion sees it. The companion calls the methods each time it
 * needs them.
 */
export interface HostPage {
  /** The address for the user, including the token; undefined while the page is not served. */
  address(): string | undefined;
  /**
   * An address for a program that opens a browser: other users can see the arguments of programs. It works once and for
   * a short time, and leads to `address`.
   */
  addressForOpening(): string | undefined;
  /** Why the page is not served, in a sentence. */
  problem(): string | undefined;
  /** Whether the page is open in a browser. */
  isOpen(): boolean;
}

/** The address of the page, including the token. Throws `RpcError` if there is none. */
export function requirePage(page: HostPage | undefined, editorName: string): PageAddress {
  const [url, openingUrl] = [page?.address(), page?.addressForOpening()];
  if (url !== undefined && openingUrl !== undefined) return { url, openingUrl };
  throw new RpcError('refused', page?.problem() ?? `${editorName} has no review page; use its own views.`);
}

/** The status of the page: its address without the fragment, which contains the token. */
export function describePage(page: HostPage | undefined): { page?: { url: string } } {
  const url = page?.address()?.split('#', 1)[0];
  return url === undefined ? {} : { page: { url } };
}
