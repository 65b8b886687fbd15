import { createHmac } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostProof, liveProtocol, liveTokenPrefix, type PageMethod, pageContract } from '@tandem/page/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { commandName } from '../../src/output.js';
import { PageFixture } from '../support/pageFixture.js';

let fixture: PageFixture;
let secret: string;
beforeAll(async () => {
  fixture = await PageFixture.start((it) => {
    it.write('a.txt', 'one\n');
    it.write('sub/b.txt', 'two\n');
    const outside = it.folder('outside');
    secret = join(outside, 'secret.txt');
    writeFileSync(secret, 'secret\n');
    symlinkSync(secret, join(it.workspace, 'link.txt'));
    symlinkSync(outside, join(it.workspace, 'linked'));
    symlinkSync(join(outside, 'none.txt'), join(it.workspace, 'dangling.txt'));
    symlinkSync(join(it.workspace, 'sub'), join(it.workspace, 'inside'));
    mkdirSync(join(it.root, 'workspace-2'));
    writeFileSync(join(it.root, 'workspace-2/near.txt'), 'near\n');
  });
});
afterAll(() => fixture.dispose());

const methods = Object.keys(pageContract) as PageMethod[];

describe('without a token', () => {
  test('refuses every method, known or unknown', async () => {
    for (const method of [...methods, 'nothing', '']) {
      for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: fixture.key }]) {
        const answer = await fixture.send('POST', `/api/${method}`, headers, '{}');
        expect([method, answer.status]).toEqual([method, 401]);
        expect(JSON.parse(answer.text).error).toEqual({
          code: 'unauthorized',
          message: expect.stringMatching(/Open the address that "(npx )?tandem page" prints/),
        });
      }
    }
  });

  test('refuses a WebSocket', async () => {
    expect(await refusedUpgrade({ protocols: [liveProtocol, `${liveTokenPrefix}wrong`] })).toBe(401);
    expect(await refusedUpgrade({ protocols: [liveProtocol] })).toBe(401);
    expect(await refusedUpgrade({ path: '/other', protocols: [`${liveTokenPrefix}wrong`] })).toBe(401);
  });

  test('serves the page itself, which contains no token', async () => {
    for (const path of ['/', '/index.html', '/?x=1', '/assets/main-abc.js', '/icon.svg']) {
      const { status, text } = await fixture.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toContain(fixture.key);
    }
  });
});

describe('the proof that a page requests before it sends a secret', () => {
  test('requires the secret, differs for each nonce, and needs no token', async () => {
    const nonces = ['a'.repeat(22), 'b'.repeat(86)];
    for (const nonce of nonces) {
      const { status, text } = await fixture.get(`/proof?nonce=${nonce}`);
      expect(status).toBe(200);
      const [ofKey = '', ofToken = ''] = [fixture.key, (await fixture.open()).token].map((secret) =>
        createHmac('sha256', secret).update(`tandem page\n${nonce}`).digest('base64url'),
      );
      expect(new Set(JSON.parse(text).proofs)).toEqual(new Set([ofKey, ofToken]));
      expect(await hostProof(fixture.key, nonce)).toBe(ofKey);
    }
  });

  test('is refused for an invalid nonce, and for other web pages', async () => {
    for (const query of [
      '',
      '?nonce=',
      `?nonce=${'a'.repeat(21)}`,
      `?nonce=${'a'.repeat(87)}`,
      '?nonce=%0A',
    ]) {
      expect((await fixture.get(`/proof${query}`)).status).toBe(400);
    }
    const path = `/proof?nonce=${'a'.repeat(22)}`;
    expect((await fixture.get(path, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await fixture.get(path, { host: 'evil.example' })).status).toBe(403);
  });
});

describe('another web page', () => {
  const foreign: Record<string, string>[] = [
    { host: 'evil.example' },
    { host: 'evil.example:80' },
    { host: '127.0.0.1.evil.example' },
    { host: '127.0.0.1:80:80' },
    { host: '127.0.0.1@evil.example' },
    { host: '0.0.0.0' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { host: 'localhost', origin: 'https://localhost' },
    { host: 'localhost', origin: 'http://evil.localhost' },
    { host: 'localhost', origin: 'http://localhost.evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ];

  test.each(foreign)('is refused with %o for every request, even with the token', async (headers) => {
    const authorization = `Bearer ${fixture.key}`;
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/assets/main-abc.js'],
      ['GET', '/open/x'],
      ['POST', '/api/ping'],
      ['OPTIONS', '/api/ping'],
    ] as const) {
      const answer = await fixture.send(
        method,
        path,
        { authorization, ...headers },
        method === 'POST' ? '{}' : undefined,
      );
      expect([method, path, answer.status]).toEqual([method, path, 403]);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    const protocols = [liveProtocol, `${liveTokenPrefix}${fixture.key}`];
    expect(await refusedUpgrade({ headers, protocols })).toBe(403);
  });

  test('is not confused with our page, also through a tunnel to another port', async () => {
    for (const host of ['127.0.0.1:1', 'localhost:8080', '[::1]:8080', 'LOCALHOST']) {
      const headers = { host, origin: `http://${host.toLowerCase()}`, 'sec-fetch-site': 'same-origin' };
      expect((await fixture.post('/api/ping', '{}', headers)).status).toBe(200);
    }
    expect((await fixture.get('/', { 'sec-fetch-site': 'none' })).status).toBe(200);
  });
});

describe('served content', () => {
  test('runs only its own scripts, in no frame, and is not stored', async () => {
    const first = await fixture.get('/');
    const second = await fixture.get('/');
    const policy = String(first.headers['content-security-policy']);
    const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      `connect-src 'self' ws://127.0.0.1:${fixture.server.port}`,
      "img-src 'self' data:",
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(first.text).toContain(`name="tandem-style-nonce" content="${nonce}"`);
    expect(first.text).toMatch(/name="tandem-build" content="[0-9a-f]{16}"/);
    expect(first.text).toContain(`name="tandem-command" content="${commandName}"`);
    expect(second.text).not.toContain(nonce);
    expect(first.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    const asset = await fixture.get('/assets/main-abc.js');
    expect(asset.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    const head = await fixture.send('HEAD', '/');
    expect([head.status, head.text]).toEqual([200, '']);
  });

  test('comes only from the folder of the page', async () => {
    for (const path of [
      '/assets/../../workspace/a.txt',
      '/../workspace/a.txt',
      '/assets/%2e%2e/%2e%2e/workspace/a.txt',
      '/assets/..%2f..%2fworkspace/a.txt',
      '/assets/..\\..\\workspace\\a.txt',
      `/${fixture.workspace}/a.txt`,
      '//a.txt',
      '/assets/',
      '/assets',
      '/.hidden',
      '/assets/none.js',
      '/assets/main-abc.js%00',
      '/src/main.tsx',
    ]) {
      expect([path, (await fixture.get(path)).status]).toEqual([path, 404]);
    }
    expect((await fixture.send('POST', '/', {}, '{}')).status).toBe(404);
  });

  test('opens by an address that works once and contains no token', async () => {
    const address = new URL(fixture.server.addressForOpening());
    expect(address.href).not.toContain(fixture.key);
    const first = await fixture.get(address.pathname);
    expect([first.status, first.headers.location]).toEqual([303, `/#key=${fixture.key}`]);
    const second = await fixture.get(address.pathname);
    expect([second.status, second.headers.location]).toEqual([401, undefined]);
    expect((await fixture.get('/open/guessed')).status).toBe(401);
  });
});

describe('a file outside the workspace', () => {
  test('is not accessible by any spelling of its path', async () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    const outside = [
      secret,
      '/etc/passwd',
      join(fixture.workspace, 'link.txt'),
      join(fixture.workspace, 'linked/secret.txt'),
      join(fixture.workspace, 'linked/new.txt'),
      join(fixture.workspace, 'dangling.txt'),
      `${fixture.workspace}/../outside/secret.txt`,
      `${fixture.workspace}/sub/../../outside/secret.txt`,
      `${fixture.workspace}/inside/../../outside/secret.txt`,
      `${fixture.workspace}-2/near.txt`,
    ];
    for (const path of outside) {
      for (const [method, params] of [
        ['document.open', { path }],
        ['document.close', { path }],
        ['document.save', { path, version: 0 }],
        ['document.conflict', { path }],
        ['document.resolve', { path, choice: 'mine' }],
        ['document.restore', { path, base: '', content: 'x' }],
        ['focus', { path, range }],
        ['files.list', { folder: path }],
        ['mention', { path }],
      ] as const) {
        const call = fixture.call(method, params);
        await expect(call, `${method} ${path}`).rejects.toMatchObject({ status: 403, code: 'forbidden' });
      }
      await expect(fixture.call('text.open', { text: `document:${path}` })).rejects.toMatchObject({
        status: 404,
      });
    }
    for (const folder of [
      '/',
      fixture.root,
      join(fixture.workspace, '..'),
      join(fixture.workspace, 'linked'),
    ]) {
      await expect(fixture.call('files.list', { folder })).rejects.toMatchObject({ status: 403 });
    }
    expect(fixture.editor.openDocuments).toEqual([]);
  });

  test('can be viewed but not written after the user opened it from a terminal', async () => {
    await fixture.editor.documents.open(secret, { takeFocus: true });
    const page = await fixture.open();
    expect(page.last('documents')?.documents).toMatchObject([
      { path: secret, label: secret, isReadOnly: true },
    ]);
    const text = `document:${secret}`;
    expect((await fixture.call('text.open', { text }, page)).content).toBe('secret\n');
    const update = { clientId: 'page', changes: [[0, 'x'], 7] };
    await expect(fixture.call('text.push', { text, version: 0, updates: [update] })).rejects.toMatchObject({
      status: 403,
    });
    await expect(fixture.call('document.save', { path: secret, version: 0 })).rejects.toMatchObject({
      status: 403,
    });
    await fixture.call('document.close', { path: secret });
    expect(fixture.editor.openDocuments).toEqual([]);
  });

  test('does not include the target of a link within the workspace', async () => {
    const path = join(fixture.workspace, 'inside/b.txt');
    await fixture.call('document.open', { path });
    expect((await fixture.call('text.open', { text: `document:${path}` })).content).toBe('two\n');
    await fixture.call('document.close', { path });
    await fixture.call('document.open', { path: `${fixture.workspace}/sub/.././a.txt` });
    expect(fixture.editor.openDocuments.map((document) => document.path)).toEqual([
      join(fixture.workspace, 'a.txt'),
    ]);
    await fixture.call('document.close', { path: join(fixture.workspace, 'a.txt') });
  });
});

/** The HTTP status of a refused WebSocket. */
function refusedUpgrade(how: {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly protocols: string[];
}): Promise<number | undefined> {
  const { path = '/live', headers = {}, protocols } = how;
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${fixture.server.port}${path}`, protocols, { headers });
    socket.once('unexpected-response', (request, response) => {
      resolve(response.statusCode);
      request.destroy();
    });
    socket.once('open', () => reject(new Error('It was opened.')));
    socket.on('error', () => {});
  });
}
