const storageKey = 'tandem.token';

/**
 * The token of the address that opened this tab. It stands in the fragment, which no browser sends anywhere; from
 * there it goes into the tab's own storage, and out of the address bar and of the history.
 */
export function takePageToken(): string | undefined {
  const fromAddress = new URLSearchParams(location.hash.slice(1)).get('token');
  if (fromAddress) {
    sessionStorage.setItem(storageKey, fromAddress);
    history.replaceState(null, '', location.pathname + location.search);
    return fromAddress;
  }
  return sessionStorage.getItem(storageKey) ?? undefined;
}
