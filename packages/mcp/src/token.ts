import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A fresh secret of this many random bytes, in base64url without padding. */
export function createToken(bytes: 32 | 64): string {
  return randomBytes(bytes).toString('base64url');
}

/**
 * Compares two secrets in a time that tells nothing about either. Digests make the lengths equal, which
 * `timingSafeEqual` demands and which hides the length of the real secret.
 */
export function tokensEqual(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/** Someone who can be recognised by a secret. */
export interface TokenHolder {
  readonly token: string;
}

/**
 * The holder whose token was presented. Every holder is compared, also after a hit, so that the time taken
 * does not tell which one it was.
 */
export function findTokenHolder<Holder extends TokenHolder>(
  holders: Iterable<Holder>,
  presented: string | undefined,
): Holder | undefined {
  if (presented === undefined) return undefined;
  let found: Holder | undefined;
  for (const holder of holders) {
    if (tokensEqual(holder.token, presented)) found = holder;
  }
  return found;
}

/** The token of an `Authorization: Bearer` header; undefined when there is none or it is malformed. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1];
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
