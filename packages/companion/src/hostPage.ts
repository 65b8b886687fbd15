import { RpcError } from '@tandem/rpc';
import type { PageAddress } from './control/controlContract.js';

/** The page that a host serves to a browser, as far as the companion knows it. Asked anew whenever it matters. */
export interface HostPage {
  /** Where a person opens it, the token included; undefined while it is not served. */
  address(): string | undefined;
  /**
   * An address for a program that opens a browser: other users see what programs are started with. It works once and
   * soon, and leads to the other one.
   */
  addressForOpening(): string | undefined;
  /** Why it is not served, in a sentence. */
  problem(): string | undefined;
  /** Whether somebody has it open. */
  isOpen(): boolean;
}

/** Where the page is, token included. Throws `RpcError` when there is none. */
export function requirePage(page: HostPage | undefined, editorName: string): PageAddress {
  const [url, openingUrl] = [page?.address(), page?.addressForOpening()];
  if (url !== undefined && openingUrl !== undefined) return { url, openingUrl };
  throw new RpcError('refused', page?.problem() ?? `${editorName} has no review page; use its own views.`);
}

/** What the status says of the page: its address without the fragment, where the token stands. */
export function describePage(page: HostPage | undefined): { page?: { url: string } } {
  const url = page?.address()?.split('#', 1)[0];
  return url === undefined ? {} : { page: { url } };
}
