import { describe, expect, it } from 'vitest';
import { DaemonIdeConnection } from '../src/index.js';
import { resolveDaemonUrl, validateDaemonBaseUrl } from '../src/qwenServe/daemonUrl.js';

describe("a daemon's address", () => {
  it.each([
    ['http://127.0.0.1:4170', 'http://127.0.0.1:4170'],
    ['http://127.0.0.1:4170/path?query=1#hash', 'http://127.0.0.1:4170'],
    ['http://127.1:4170', 'http://127.0.0.1:4170'],
    ['http://2130706433:4170', 'http://127.0.0.1:4170'],
    ['http://0x7f.0.0.1:4170', 'http://127.0.0.1:4170'],
    ['http://127.8.9.10:4170', 'http://127.8.9.10:4170'],
    ['http://[::1]:4170', 'http://[::1]:4170'],
    ['http://[0:0:0:0:0:0:0:1]:4170', 'http://[::1]:4170'],
    ['https://127.0.0.1:4170', 'https://127.0.0.1:4170'],
    ['http://LOCALHOST:4170', 'http://localhost:4170'],
    ['http://localhost.:4170', 'http://localhost:4170'],
  ])('on this machine is accepted: %s', (address, origin) => {
    expect(validateDaemonBaseUrl(address).origin).toBe(origin);
  });

  it.each([
    ['http://192.168.0.7:4170'],
    ['http://example.com'],
    ['http://localhost.example.com'],
    ['http://127.0.0.1.example.com'],
    ['http://127.0.0.1@example.com'],
    ['http://0.0.0.0:4170'],
    ['http://[::]:4170'],
    ['http://[::ffff:192.168.0.7]:4170'],
    ['http://user@127.0.0.1:4170'],
    ['http://:secret@127.0.0.1:4170'],
    ['ftp://127.0.0.1'],
    ['ws://127.0.0.1'],
    ['file:///etc/passwd'],
    ['127.0.0.1:4170'],
    ['not an address'],
    [''],
  ])('that is anything else is refused before anything is sent: %s [DMN-9]', async (baseUrl) => {
    const connecting = new DaemonIdeConnection().connect({ baseUrl, token: 'secret' });
    const error: unknown = await connecting.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'not_loopback', isSetup: true });
    expect(String(error)).not.toContain('secret');
  });

  it('with the name localhost resolves to the addresses of localhost', async () => {
    const both = async () => ['127.0.0.1', '::1'];
    expect(await resolveDaemonUrl('http://localhost:4170', both)).toEqual([
      'http://127.0.0.1:4170',
      'http://[::1]:4170',
    ]);
  });

  it.each([
    ['another machine', ['127.0.0.1', '10.0.0.1']],
    ['no machine', []],
  ])('with the name localhost is refused if localhost is %s', async (_name, addresses) => {
    await expect(resolveDaemonUrl('http://localhost:4170', async () => addresses)).rejects.toMatchObject({
      kind: 'not_loopback',
    });
  });
});
