import { visibleName } from '@tandem/core';

/**
 * Where a link of a message leads, if it may lead anywhere: to http and https alone. The host stands as the browser
 * resolves it, so that letters of another script cannot pass for ours.
 */
export function safeAddress(address: string | undefined): string | undefined {
  if (address === undefined || !/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  return username === '' && password === '' ? href : undefined;
}

/** The address as it stands beside the link's words. */
export function shownAddress(address: string): string {
  const shown = visibleName(address.replace(/^https?:\/\//, '').replace(/\/$/, ''));
  return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
}
