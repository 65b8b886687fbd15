import { afterEach, describe, expect, test, vi } from 'vitest';
import { PageSecrets } from '../../src/page/pageSecrets.js';

afterEach(() => vi.useRealTimers());

describe('the secrets of a page', () => {
  test('accept nothing before the page has an address, and no empty token', () => {
    const secrets = new PageSecrets();
    expect([secrets.accepts(''), secrets.accepts(secrets.key), secrets.accepts(undefined)]).toEqual([
      false,
      false,
      false,
    ]);
    secrets.token = 'token';
    expect([secrets.accepts(''), secrets.accepts(secrets.key), secrets.accepts('token')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('open a page by a code once, and only for a minute', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    const secrets = new PageSecrets();
    const [code, late] = [secrets.openingCode(), secrets.openingCode()];
    expect([secrets.redeem(''), secrets.redeem(code), secrets.redeem(code)]).toEqual([false, true, false]);
    vi.setSystemTime(1_000_000 + 60_001);
    expect(secrets.redeem(late)).toBe(false);
  });
});
