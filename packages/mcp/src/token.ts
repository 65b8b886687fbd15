import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret of random bytes, in base64url without padding. */
export function createToken(bytes: 32 | 64): string {
  return randomBytes(bytes).toString('base64url');
}

/**
 * Compares two secrets in constant time. The digests have equal lengths, as `timingSafeEqual` requires, and hide the length
 * of the secret.
 */
export function tokensEqual(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

interface TokenHolder {
  readonly token: string;
}

/**
 * The holder of the presented token. Compares with every holder, also after a match, so that the time does not reveal which
 * one matched.
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

/** The token of an `Authorization: Bearer` header; undefined if it is missing or malformed. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return presentedToken(authorization, 'Bearer');
}

/** The token of an `Authorization` header with this scheme; undefined if it is missing or malformed. */
export function presentedToken(authorization: string | undefined, scheme: string): string | undefined {
  const [, presented, token] = /^([a-z]+) +([^\s]+) *$/i.exec(authorization ?? '') ?? [];
  return presented?.toLowerCase() === scheme.toLowerCase() ? token : undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
