/** What a host needs before a page connects: no schemas, which take long to build. */

/** The `clientId` of changes by the host: from the disk, an agent or a command. */
export const hostClientId = 'host';

/** WebSocket subprotocol of `/live`. */
export const liveProtocol = 'tandem.page';
/** The token is a second subprotocol: a browser cannot set another header of a WebSocket. */
export const liveTokenPrefix = 'token.';
/** The request header with the id of the page's connection. */
export const connectionHeader = 'x-tandem-connection';

/**
 * Where a host proves which secrets it knows: `GET /proof?nonce=…` answers `{"proofs":[…]}`, one for each secret that it
 * takes. It asks for no secret.
 */
export const hostProofPath = '/proof';

/** What a nonce of the page's may look like. */
export const hostNonce = /^[\w-]{22,86}$/;

/**
 * The answer to a nonce that requires knowledge of the secret: HMAC-SHA-256 in base64url. While a companion is down,
 * any program of any user of the machine can take its port; the page sends no secret to one that does not know it.
 */
export async function hostProof(secret: string, nonce: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(`tandem page\n${nonce}`));
  return btoa(String.fromCharCode(...new Uint8Array(signature)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
