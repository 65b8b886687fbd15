import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { stateFolder, thisMachine } from '@tandem/companion/control';
import { afterEach, describe, expect, test } from 'vitest';
import { PageServer } from '../../src/page/pageServer.js';
import { PageFixture } from '../support/pageFixture.js';

const fixtures: PageFixture[] = [];
afterEach(async () => {
  await Promise.all(fixtures.splice(0).map((fixture) => fixture.dispose()));
});

async function start(prepare?: (fixture: PageFixture) => void): Promise<PageFixture> {
  const fixture = await PageFixture.start(prepare);
  fixtures.push(fixture);
  return fixture;
}

describe('a call', () => {
  test('returns a specific error if it is malformed', async () => {
    const fixture = await start();
    const post = async (path: string, body: string | Buffer) => {
      const { status, text } = await fixture.post(path, body);
      return [status, JSON.parse(text).error.code];
    };
    expect(await post('/api/review.open', '{')).toEqual([400, 'bad-params']);
    expect(await post('/api/review.open', Buffer.from([0x22, 0xff, 0x22]))).toEqual([400, 'bad-params']);
    expect(await post('/api/review.open', '{}')).toEqual([400, 'bad-params']);
    expect(await post('/api/review.open', '{"id":1}')).toEqual([400, 'bad-params']);
    expect(await post('/api/text.open', '{"text":"other:1"}')).toEqual([400, 'bad-params']);
    expect(await post('/api/document.open', '{"path":"a.txt"}')).toEqual([400, 'bad-params']);
    expect(await post('/api/document.open', '{"path":"/a\\u0000"}')).toEqual([400, 'bad-params']);
    expect(await post('/api/nothing', '{}')).toEqual([404, 'unknown-method']);
    expect(await post('/api/toString', '{}')).toEqual([404, 'unknown-method']);
    expect(await post('/api/', '{}')).toEqual([404, 'unknown-method']);
    const { status } = await fixture.send('GET', '/api/ping', { authorization: `Bearer ${fixture.key}` });
    expect(status).toBe(404);
  });

  test('is refused with a readable answer if its body is too large, declared or not', async () => {
    const fixture = await start();
    const declared = await fixture.send('POST', '/api/ping', {
      authorization: `Bearer ${fixture.key}`,
      'content-length': String(200 * 1024 * 1024),
      expect: '100-continue',
    });
    expect([declared.status, JSON.parse(declared.text).error.code]).toEqual([413, 'too-large']);
    const megabyte = Buffer.alloc(1024 * 1024);
    const body = Readable.from(Array.from({ length: 130 }, () => megabyte));
    const grown = await fixture.send('POST', '/api/ping', { authorization: `Bearer ${fixture.key}` }, body);
    expect([grown.status, JSON.parse(grown.text).error.code]).toEqual([413, 'too-large']);
  });
});

describe('closing', () => {
  test('notifies open pages, and waits for none of them', async () => {
    const fixture = await start();
    const pages = await Promise.all([fixture.open(), fixture.open(), fixture.open()]);
    const [slow] = pages;
    slow?.socket.pause();
    const calls = Array.from({ length: 50 }, () => fixture.call('files.all', {}).catch(() => undefined));
    await fixture.stop();
    expect(await Promise.all(pages.slice(1).map(({ closed }) => closed))).toEqual([1001, 1001]);
    await Promise.all(calls);
    slow?.socket.resume();
    await slow?.closed;
    expect(fixture.problems).toEqual([]);
  });

  test('can be requested twice, and while a page connects', async () => {
    const fixture = await start();
    const opening = fixture.open().catch(() => undefined);
    const { server } = fixture;
    await Promise.all([server.close(), server.close()]);
    await opening;
    await server.close();
  });
});

describe('the address', () => {
  test('stays the same after a restart except for its key, and an open page reconnects to the new instance', async () => {
    const fixture = await start();
    const [{ origin }, { key }] = [fixture, fixture];
    const before = await fixture.open();
    expect([before.token, key]).toEqual([
      expect.stringMatching(/^[\w-]{43}$/),
      expect.not.stringMatching(before.token),
    ]);
    await fixture.stop();
    await fixture.run();
    expect(fixture.origin).toBe(origin);
    expect(fixture.key).not.toBe(key);
    const after = await fixture.open(before.token);
    expect(after.token).toBe(before.token);
    // The key of the ended companion is invalid: browsers keep addresses in their history.
    const headers = { authorization: `Bearer ${key}` };
    expect((await fixture.send('POST', '/api/ping', headers, '{}')).status).toBe(401);
    await expect(fixture.open(key)).rejects.toThrow('closed');
    expect(after.last('hello')?.instance).not.toBe(before.last('hello')?.instance);
    expect(after.last('hello')?.build).toBe(before.last('hello')?.build);
    const folder = join(stateFolder(thisMachine()), 'pages');
    const [name = ''] = readdirSync(folder).filter((file) =>
      readFileSync(join(folder, file), 'utf8').includes(before.token),
    );
    expect(
      readdirSync(folder).filter((file) => readFileSync(join(folder, file), 'utf8').includes(key)),
    ).toEqual([]);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('is deleted if it was unused for a long time, unless it is served', async () => {
    const fixture = await start();
    const folder = join(stateFolder(thisMachine()), 'pages');
    const { token } = await fixture.open();
    const [ours = ''] = readdirSync(folder).filter((file) =>
      readFileSync(join(folder, file), 'utf8').includes(token),
    );
    const text = readFileSync(join(folder, ours), 'utf8');
    writeFileSync(join(folder, 'old.json'), text.replace(/"pid": \d+/, '"pid": 999999999'));
    writeFileSync(join(folder, 'recent.json'), text.replace(/"pid": \d+/, '"pid": 999999999'));
    writeFileSync(join(folder, 'served.json'), text);
    for (const name of ['old.json', 'served.json']) utimesSync(join(folder, name), 0, 0);
    const other = await start();
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([ours, 'recent.json', 'served.json']));
    expect(readdirSync(folder)).not.toContain('old.json');
    expect((await other.open()).token).not.toBe(token);
  });

  test('does not reuse the token of an earlier version, which is in the history of browsers', async () => {
    const fixture = await start();
    const { token } = await fixture.open();
    await fixture.stop();
    const folder = join(stateFolder(thisMachine()), 'pages');
    const [name = ''] = readdirSync(folder).filter((file) =>
      readFileSync(join(folder, file), 'utf8').includes(token),
    );
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replace('"tabToken"', '"token"'));
    await fixture.run();
    await expect(fixture.open(token)).rejects.toThrow('closed');
  });

  test('has a new port and token if another process has taken the port', async () => {
    const fixture = await start();
    const { port } = fixture.server;
    const { token } = await fixture.open();
    await fixture.stop();
    const stranger = createServer().listen(port, '127.0.0.1');
    await new Promise((resolve) => stranger.once('listening', resolve));
    await fixture.run();
    expect(fixture.server.port).not.toBe(port);
    expect((await fixture.open()).token).not.toBe(token);
    await new Promise((resolve) => stranger.close(resolve));
  });

  test('stays with a running companion when a second one of the same folders starts', async () => {
    const fixture = await start();
    const { companion, editor, page } = fixture;
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const options = { companion, editor, folder: page, version: '1', logger };
    const second = await PageServer.start(options);
    expect(second.port).not.toBe(fixture.server.port);
    expect(second.url).not.toContain(fixture.key);
    await second.close();
    const { origin } = fixture;
    const { token } = await fixture.open();
    await fixture.stop();
    await fixture.run();
    expect(fixture.origin).toBe(origin);
    expect((await fixture.open(token)).token).toBe(token);
  });

  test('uses exactly the requested port, or fails', async () => {
    const fixture = await start();
    const { companion, editor, page, server } = fixture;
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const options = { companion, editor, folder: page, version: '1', logger };
    await expect(PageServer.start({ ...options, port: server.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
