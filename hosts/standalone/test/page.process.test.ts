import { chmodSync, existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PageClient } from './support/pageFixture.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

let scratch: Scratch;
const clients: PageClient[] = [];
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  await scratch.run(['stop']);
  await scratch.dispose();
});

/** Loaded first: makes the process assume that a user reads its output. */
const onTerminal = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent('process.stdout.isTTY = true;')}`,
};

/** A program that replaces the browser, and its arguments. */
function fakeBrowser(): { env: Record<string, string>; opened: () => Promise<string>; file: string } {
  const bin = join(scratch.root, 'bin');
  const file = join(scratch.root, 'opened', 'address');
  for (const folder of [bin, join(scratch.root, 'opened')]) mkdirSync(folder);
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nprintf %s "$1" > "${file}.tmp"\nmv "${file}.tmp" "${file}"\n`,
  );
  chmodSync(join(bin, 'xdg-open'), 0o755);
  const opened = async (): Promise<string> => {
    const watcher = watch(join(scratch.root, 'opened'));
    const written = new Promise<void>((resolve) => watcher.on('change', () => existsSync(file) && resolve()));
    if (!existsSync(file)) await written;
    watcher.close();
    return readFileSync(file, 'utf8');
  };
  return { env: { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':99' }, opened, file };
}

const addressIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{43}/.exec(text)?.[0] ?? '';
const urlOf = async (companion: TandemProcess): Promise<string> => (await companion.event('ready')).page.url;

async function open(url: string): Promise<PageClient> {
  const { origin, hash } = new URL(url);
  const client = new PageClient(origin, hash.slice('#key='.length));
  clients.push(client);
  await client.next('sharing');
  return client;
}

describe('the page of tandem serve', () => {
  test('is reported by serve, by page, and without its token by status', async () => {
    const companion = scratch.start(['serve']);
    await companion.said('Review their changes:');
    const address = addressIn(companion.stdout);
    expect(companion.stdout).toContain(`Review in the browser:\n  ${address}\n`);
    expect((await scratch.command(['page'])).stdout).toBe(`${address}\n`);
    expect(JSON.parse((await scratch.command(['page', '--json'])).stdout)).toEqual({ url: address });
    const status = await scratch.command(['status']);
    expect(status.stdout).toContain(
      `  Page         ${new URL(address).origin}/  open it with: tandem page --open`,
    );
    const json = await scratch.command(['status', '--json']);
    expect(JSON.parse(json.stdout)[0].page).toEqual({ url: `${new URL(address).origin}/` });
    for (const { stdout } of [status, json]) expect(stdout).not.toMatch(/token=|key=/);
    expect((await fetch(new URL(address).origin)).status).toBe(200);
  });

  test('is served at the same address after a restart', async () => {
    const first = await scratch.serve();
    const url = await urlOf(first);
    const page = await open(url);
    await first.signal('SIGTERM');
    expect(await page.closed).toBe(1001);
    const after = new URL(await urlOf(await scratch.serve()));
    expect(after.origin).toBe(new URL(url).origin);
    expect(after.href).not.toBe(url);
    const other = new PageClient(after.origin, page.token);
    clients.push(other);
    expect((await other.next('hello')).token).toBe(page.token);
    for (const file of scratch.discoveryFiles()) {
      const text = readFileSync(file, 'utf8');
      expect([text.includes(page.token), text.includes(url.split('=')[1] ?? '')]).toEqual([false, false]);
    }
  });

  test('has another address for other folders, and for a second companion of the same folder', async () => {
    mkdirSync(join(scratch.workspace, 'sub'));
    const urls = [];
    for (const args of [[], [], ['sub'], ['.', 'sub']])
      urls.push(await urlOf(await scratch.serve(['--another', ...args])));
    expect(new Set(urls.map((url) => new URL(url).port)).size).toBe(4);
    expect(new Set(urls.map((url) => new URL(url).hash)).size).toBe(4);
  });

  test('uses the given port, and is not served if that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const failed = await scratch.run(['serve', '--page-port', String(port)]);
    expect(failed).toMatchObject({
      code: 1,
      stderr: `The page cannot be served on port ${port}: another program listens there. Choose another port, or omit --page-port.\n`,
    });
    expect(scratch.discoveryFiles()).toEqual([]);
    await new Promise((resolve) => taken.close(resolve));
    const companion = await scratch.serve(['--page-port', String(port)]);
    expect(new URL(await urlOf(companion)).port).toBe(String(port));
    expect((await scratch.run(['serve', '--page-port', '0'])).code).toBe(2);
    expect((await scratch.run(['serve', '--page-port', '65536'])).code).toBe(2);
  });

  test('keeps an idle companion running', async () => {
    const companion = await scratch.serve(['--until-idle', '1']);
    const page = await open(await urlOf(companion));
    const sentinel = await scratch.serve(['--until-idle', '1', scratch.home]);
    await sentinel.ended;
    expect(companion.hasEnded).toBe(false);
    page.socket.close();
    expect((await companion.ended).code).toBe(0);
  });

  test('prints over SSH how to reach the page', async () => {
    const { env, file } = fakeBrowser();
    const companion = scratch.start(['serve'], {
      env: { ...env, ...onTerminal, SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' },
    });
    await companion.said('Ctrl+C ends');
    const { port } = new URL(addressIn(companion.stdout));
    expect(companion.stdout).toContain(`  first, on your own machine: ssh -L ${port}:127.0.0.1:${port} `);
    expect(existsSync(file)).toBe(false);
    const opening = await scratch.run(['page', '--open'], { env: { ...env, SSH_TTY: '/dev/pts/1' } });
    expect(opening).toMatchObject({ code: 1, stdout: `${addressIn(companion.stdout)}\n` });
    expect(opening.stderr).toContain('This terminal has no desktop');
  });
});

describe('the browser', () => {
  test('is opened for a user at a terminal, with an address that works once', async () => {
    const { env, opened } = fakeBrowser();
    const companion = scratch.start(['serve'], { env: { ...env, ...onTerminal } });
    const address = await opened();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/open\/[\w-]{43}$/);
    const entered = await fetch(address, { redirect: 'manual' });
    const token = new URL(addressIn(companion.stdout)).hash;
    expect([entered.status, entered.headers.get('location')]).toEqual([303, `/${token}`]);
    expect((await fetch(address, { redirect: 'manual' })).status).toBe(401);
  });

  test('is not opened with --no-open, for a program, or into a pipe', async () => {
    const { env, file, opened } = fakeBrowser();
    for (const [args, more] of [
      [['--no-open'], onTerminal],
      [['--json'], onTerminal],
      [[], {}],
    ] as const) {
      const companion = scratch.start(['serve', ...args], { env: { ...env, ...more } });
      await companion.said(args[0] === '--json' ? '"ready"' : 'Review their changes:');
      await companion.signal('SIGTERM');
      expect([args, existsSync(file)]).toEqual([args, false]);
    }
    const companion = await scratch.serve();
    const { stdout, code } = await scratch.run(['page', '--open'], { env });
    expect([stdout, code]).toEqual([`${await urlOf(companion)}\n`, 0]);
    expect(await opened()).toContain('/open/');
  });
});

describe('a companion in the background', () => {
  test('has a page, and writes its token to no log', async () => {
    const bin = join(scratch.root, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':99' };
    expect((await scratch.run(['run', 'claude'], { env })).code).toBe(0);
    const address = addressIn((await scratch.command(['page'])).stdout);
    expect((await fetch(new URL(address).origin)).status).toBe(200);
    const log = readFileSync(join(scratch.state, 'tandem/serve.log'), 'utf8');
    expect(log).toContain('Review in the browser:         tandem page');
    expect(log).not.toMatch(/token=|key=/);
  });
});

test('tandem page without a companion ends with 3', async () => {
  const { code, stderr } = await scratch.command(['page']);
  expect([code, stderr]).toEqual([3, expect.stringContaining('Start one there: tandem')]);
});
