const tokenName = 'tandem.token';
const keyName = 'tandem.key';

/**
 * What opens the companion for this tab. The address brings a key, which the companion that printed it takes until it
 * ends: browsers keep addresses in their history. That companion gives the tab a token, which holds also after a
 * restart. Both stand in the tab's own storage, and in no address once the page has loaded.
 */
export function readPageSecrets(): readonly string[] {
  takeKeyFromAddress();
  return [sessionStorage.getItem(keyName), sessionStorage.getItem(tokenName)].filter((each) => each !== null);
}

/** The companion has let us in with either, and gave us this. */
export function keepPageToken(token: string): void {
  sessionStorage.setItem(tokenName, token);
  sessionStorage.removeItem(keyName);
}

/** Calls `onKey` when the user opens an address with a key in this tab: the browser does not reload the page then. */
export function followAddress(onKey: () => void): void {
  window.addEventListener('hashchange', () => {
    if (takeKeyFromAddress()) onKey();
  });
}

/** The key stands in the fragment, which no browser sends anywhere. Returns whether there was one. */
function takeKeyFromAddress(): boolean {
  if (location.hash === '') return false;
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key) sessionStorage.setItem(keyName, key);
  // Whatever stands there goes: it may be a secret of another version.
  history.replaceState(null, '', location.pathname + location.search);
  return Boolean(key);
}
