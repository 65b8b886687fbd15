/** Where a host proves that it knows the token: `GET /proof?nonce=…` answers `{"proof":…}`. It asks for no token. */
export const hostProofPath = '/proof';

/** What a nonce of the page's may look like. */
export const hostNonce = /^[\w-]{22,86}$/;

/**
 * What only somebody who knows the token can answer to a nonce: HMAC-SHA-256 in base64url. While a companion is down,
 * any program of any user of the machine can take its port; the page sends its token to none that does not know it.
 */
export async function hostProof(token: string, nonce: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(token), algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(`tandem page\n${nonce}`));
  return btoa(String.fromCharCode(...new Uint8Array(signature)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
